// Package ir is the one tree that every SQL front end lowers into and that the
// resolver reads. A front end (TiDB's parser for MySQL, our grammar for every
// other dialect) says what was written; it decides nothing about what a name
// means. Scopes, stars, aliases, temporary tables and lineage are the resolver's.
//
// Rules for front ends:
//
//   - Every node carries the Span of bytes it was written at, relative to the
//     whole script (not to the statement).
//   - Identifiers are unescaped and unquoted in Ident.Name, with the quote kept
//     in Ident.Quote, and never case-folded: the resolver folds by dialect.
//   - Chains that people (and generators) write left-deep are flat: `a OR b OR c`
//     is one Op with three Args, `x UNION y UNION z` one SetOp with three
//     branches, `a JOIN b JOIN c` one From list. Depth then grows only with what
//     the text really nests.
//   - A list of nothing but literals may be left out where values of literals
//     cannot matter (IN lists, VALUES rows beyond the first that hold literals
//     only).
//   - What has no bearing on lineage (storage clauses, hints, locks, privileges)
//     is dropped. A statement without lineage is an Other.
//   - A dotted name in an expression is one Column with all its parts; which of
//     them are tables and which struct fields is the resolver's decision.
package ir

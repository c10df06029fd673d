package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// docs holds the comments of the event package: of types under their name,
// of fields under Type.Field.
type docs map[string]string

// readDocs reads the comments of all Go files of a folder.
func readDocs(folder string) (docs, error) {
	out := docs{}
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		src, err := os.ReadFile(path) //nolint:gosec // a folder named by go generate
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				out.addTypes(g)
			}
		}
	}
	return out, nil
}

func (d docs) addTypes(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		text := t.Doc.Text()
		if text == "" {
			text = g.Doc.Text()
		}
		d[t.Name.Name] = sentence(t.Name.Name, text)
		s, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range s.Fields.List {
			for _, n := range f.Names {
				d[t.Name.Name+"."+n.Name] = sentence(n.Name, f.Doc.Text())
			}
		}
	}
}

// sentence turns a Go comment into one line that does not begin with the Go
// name of what it describes.
func sentence(goName, text string) string {
	text = strings.Join(strings.Fields(text), " ")
	rest, ok := strings.CutPrefix(text, goName+" ")
	if !ok || rest == "" || strings.HasPrefix(rest, "and ") {
		return text
	}
	for _, verb := range []string{"is ", "are ", "says that ", "holds "} {
		rest = strings.TrimPrefix(rest, verb)
	}
	return strings.ToUpper(rest[:1]) + rest[1:]
}

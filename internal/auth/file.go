package auth

import (
	"log/slog"
	"os"
	"sync"
	"time"
)

// TokenFile is a token file that is read again when it has changed, so that a
// token is made or taken away without a restart.
type TokenFile struct {
	path   string
	logger *slog.Logger

	mu     sync.Mutex
	tokens []Token
	// changed and size are those of the file as it was looked at last.
	changed time.Time
	size    int64
}

// OpenTokens reads a token file. The error says what is wrong with it.
func OpenTokens(path string, logger *slog.Logger) (*TokenFile, error) {
	f := &TokenFile{path: path, logger: logger}
	info, err := os.Stat(path)
	if err == nil {
		f.changed, f.size = info.ModTime(), info.Size()
	}
	f.tokens, err = LoadTokens(path)
	return f, err
}

// Tokens gives the tokens of the file. Once it cannot be read any more those
// that it had last count, and the log says so.
func (f *TokenFile) Tokens() []Token {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(f.path)
	if err != nil || info.ModTime().Equal(f.changed) && info.Size() == f.size {
		return f.tokens
	}
	f.changed, f.size = info.ModTime(), info.Size()
	tokens, err := LoadTokens(f.path)
	if err != nil {
		f.logger.Error("the token file has changed and cannot be read; the tokens that it had count", "error", err)
		return f.tokens
	}
	f.tokens = tokens
	f.logger.Info("the token file was read again", "file", f.path, "tokens", len(tokens))
	return f.tokens
}

package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/tributary-data/tributary/internal/auth"
)

func newTokenCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "token", Short: "Access tokens, which listening beyond loopback needs"}
	cmd.AddCommand(newTokenCreateCommand())
	return cmd
}

func newTokenCreateCommand() *cobra.Command {
	var file, name, scope string
	var days int
	var writes, sees []string
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Make a token, add its hash to the token file and print it once",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			secret, entry, err := auth.NewToken(name, scope, time.Now().AddDate(0, 0, days))
			if err != nil {
				return err
			}
			entry.Writes, entry.Sees = writes, sees
			if err := appendToken(file, entry); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), secret)
			return err
		},
	}
	cmd.Flags().StringVar(&file, "file", "tokens.yaml", "token file, made if it is not there")
	cmd.Flags().StringVar(&name, "name", "", "whose token it is; shown in audits")
	cmd.Flags().StringVar(&scope, "scope", "read", "read, write or admin")
	cmd.Flags().StringSliceVar(&writes, "writes", nil, "namespaces and spaces it may send something about; a star at the end stands for any rest; none means all")
	cmd.Flags().StringSliceVar(&sees, "sees", nil, "namespaces and spaces it is shown; none means all")
	cmd.Flags().IntVar(&days, "days", 90, "days until it expires")
	_ = cmd.MarkFlagRequired("name")
	return cmd
}

func appendToken(path string, entry auth.Token) error {
	var tokens []auth.Token
	if _, err := os.Stat(path); err == nil {
		if tokens, err = auth.LoadTokens(path); err != nil {
			return err
		}
	}
	raw, err := yaml.Marshal(append(tokens, entry))
	if err != nil {
		return fmt.Errorf("encoding tokens: %w", err)
	}
	if err := writeWhole(path, raw); err != nil {
		return fmt.Errorf("writing tokens: %w", err)
	}
	return nil
}

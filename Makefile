# Two commands do all the set-up: 'make run' and 'make test'.
GO      ?= go
BIN     := bin/tributary
LINT_VERSION := v2.15.0

.PHONY: help run build web test demo demo-build bench bench-sql bench-graph bench-catalog profile fuzz lint generate clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: build ## Build everything and start the server with its page
	$(BIN) serve

build: web ## Build the page and the binary
	@echo 'Compiling the binary; the first time takes some minutes.'
	$(GO) build -o bin/ ./cmd/...

web: web/dist/index.html ## Build the page

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --no-audit --no-fund --ignore-scripts
	touch $@

web/dist/index.html: web/node_modules/.package-lock.json $(shell find web/src web/build.mjs -type f 2>/dev/null)
	cd web && npm run build

test: ## Run every test that this machine allows
	./test/run

demo: build ## Feed an online shop's warehouse and ask multi-hop questions
	$(BIN) demo

demo-build: build ## Build datasets on a branch, with real rows
	$(BIN) demo build

bench: build ## Measure, with the peer or the physical limit beside each figure
	./test/bench

bench-sql: build ## Measure SQL parsing and resolution beside other tools
	./test/bench sql

bench-graph: build ## Measure traversal on a graph of 10,000,000 edges
	./test/bench graph

bench-catalog: build ## Measure the catalog fold, planning and branch creation
	./test/bench catalog

profile: ## Profile the main jobs for the compiler, which inlines by it
	./test/bench profile

fuzz: ## Fuzz every reader of outside bytes, FUZZTIME each (default 30s)
	./test/fuzz

lint: ## Check style and the direction of dependencies
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION) run ./...

generate: ## Write generated files afresh
	$(GO) generate ./...

clean: ## Remove what was built
	rm -rf bin web/dist/* web/node_modules

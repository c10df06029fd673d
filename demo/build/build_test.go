package build_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/builder"
	"github.com/tributary-data/tributary/demo/build"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestDemoLeavesMasterAsItWas(t *testing.T) {
	s := storetest.Open(t)
	service := builder.New(builder.Config{Log: logtest.Start(t)})
	require.NoError(t, service.Start(context.Background()))
	mux := http.NewServeMux()
	service.Register(mux)
	server := httptest.NewServer(mux)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		server.CloseClientConnections()
		server.Close()
		require.NoError(t, service.Stop())
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	require.NoError(t, build.Run(ctx, build.Config{Server: server.URL, Conn: s.Write(), Out: &out, Client: client}), out.String())
	for _, line := range []string{
		"revenue: COMPLETED; read shop.orders on master; wrote shop.revenue on feature",
		"summary: COMPLETED; read shop.revenue on feature; wrote shop.summary on feature",
		"shop.orders has no branch feature: it was only read",
		"    3,455\n", "    3,365,210\n",
	} {
		require.Contains(t, out.String(), line)
	}
	t.Log(out.String())
}

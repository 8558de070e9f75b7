// What tests run in pods: it serves, asks, looks names up, waits. Standard library only, one static file, so that its
// image works wherever a container starts at all.
//
//	probe serve :8080                           HTTP: who answers and whom it saw; /healthz
//	probe get URL --times 5 --every 1s          prints each answer; fails when none came
//	probe lookup NAME                           prints the addresses
//	probe sleep                                 until it is told to end
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sort"
	"syscall"
	"time"
)

const usage = `usage: probe serve ADDRESS
       probe get URL [--times N] [--every 1s] [--timeout 5s]
       probe lookup NAME [--timeout 15s]
       probe sleep
`

func main() {
	// As the first process of a container it would otherwise not be ended by these.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 2 && args[0] == "serve":
		return serve(ctx, args[1])
	case len(args) >= 2 && args[0] == "get":
		return get(ctx, args[1], args[2:])
	case len(args) >= 2 && args[0] == "lookup":
		return lookup(ctx, args[1], args[2:])
	case len(args) == 1 && args[0] == "sleep":
		<-ctx.Done()
		return nil
	}
	fmt.Fprint(os.Stderr, usage)
	os.Exit(64)
	return nil
}

func serve(ctx context.Context, address string) error {
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	routes := http.NewServeMux()
	routes.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "hostname=%s remote=%s path=%s\n", name, r.RemoteAddr, r.URL.Path)
		fmt.Printf("%s %s %s\n", r.RemoteAddr, r.Method, r.URL.Path)
	})
	server := &http.Server{Addr: address, Handler: routes, ReadHeaderTimeout: 10 * time.Second}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("%s serves at %s\n", name, listener.Addr())
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}

func get(ctx context.Context, url string, args []string) error {
	flags := flag.NewFlagSet("get", flag.ExitOnError)
	times := flags.Int("times", 1, "how often")
	every := flags.Duration("every", time.Second, "pause between two")
	timeout := flags.Duration("timeout", 5*time.Second, "of one answer")
	flags.Parse(args)
	// A connection of its own for each: a service is to choose anew.
	client := &http.Client{Timeout: *timeout, Transport: &http.Transport{DisableKeepAlives: true}}
	var failure error
	answered := 0
	for i := 0; i < *times && ctx.Err() == nil; i++ {
		if i > 0 {
			pause(ctx, *every)
		}
		if err := getOnce(ctx, client, url); err != nil {
			failure = err
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		answered++
	}
	if answered == 0 {
		return fmt.Errorf("no answer from %s: %w", url, failure)
	}
	return nil
}

func getOnce(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(os.Stdout, io.LimitReader(answer.Body, 1<<20)); err != nil {
		return err
	}
	if answer.StatusCode >= 400 {
		return fmt.Errorf("%s answered %s", url, answer.Status)
	}
	return nil
}

func lookup(ctx context.Context, name string, args []string) error {
	flags := flag.NewFlagSet("lookup", flag.ExitOnError)
	// Longer than the 5 s the resolver gives one question: a lost packet is asked for again.
	timeout := flags.Duration("timeout", 15*time.Second, "how long")
	flags.Parse(args)
	ctx, done := context.WithTimeout(ctx, *timeout)
	defer done()
	addresses, err := net.DefaultResolver.LookupHost(ctx, name)
	if err != nil {
		return err
	}
	sort.Strings(addresses)
	for _, address := range addresses {
		fmt.Println(address)
	}
	return nil
}

func pause(ctx context.Context, duration time.Duration) {
	select {
	case <-time.After(duration):
	case <-ctx.Done():
	}
}

// Go's net/http answering pushes: go-server PORT KEY CERTIFICATE LOG
//
// Writes the path of each request it answers to LOG. Every 5,000th answer says "Connection: close", upon which the
// server sends GOAWAY and leaves the connection gracefully.
package main

import (
	"bufio"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

func main() {
	port, key, certificate, path := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	file, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	requests := bufio.NewWriter(file)
	var lock sync.Mutex
	answered := 0
	handle := func(response http.ResponseWriter, request *http.Request) {
		io.Copy(io.Discard, request.Body)
		lock.Lock()
		defer lock.Unlock()
		requests.WriteString(request.URL.Path + "\n")
		answered++
		if answered%5000 == 0 {
			response.Header().Set("Connection", "close")
		}
	}
	go func() {
		log.Fatal(http.ListenAndServeTLS("127.0.0.1:"+port, certificate, key, http.HandlerFunc(handle)))
	}()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	<-signals
	lock.Lock()
	requests.Flush()
}

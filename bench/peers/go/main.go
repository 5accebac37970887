package main

import (
	"crypto/tls"
	"log"
	"math/rand"
	"net/http"
	"os"
	"strconv"
)

// Arguments: PORT COUNT, and for TLS beside it PORT CERTIFICATE KEY.
func main() {
	count, _ := strconv.Atoi(os.Args[2])
	redirect := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "https://avatar.spacefox.fr/Renard-"+strconv.Itoa(1+rand.Intn(count))+".png")
		w.Header().Set("Cache-Control", "private, no-store")
		w.WriteHeader(http.StatusFound)
	})
	// without session tickets each connection is a full handshake, as with the other servers here
	server := http.Server{Addr: ":" + os.Args[3], Handler: redirect, TLSConfig: &tls.Config{SessionTicketsDisabled: true}}
	go func() { log.Fatal(server.ListenAndServeTLS(os.Args[4], os.Args[5])) }()
	log.Fatal(http.ListenAndServe(":"+os.Args[1], redirect))
}

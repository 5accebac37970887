package main

import (
	"crypto/tls"
	"log"
	"math/rand"
	"net/http"
	"os"
	"strconv"
)

func main() {
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	redirect := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "https://avatar.spacefox.fr/Renard-"+strconv.Itoa(1+rand.Intn(count))+".png")
		w.Header().Set("Cache-Control", "private, no-store")
		w.WriteHeader(http.StatusFound)
	})
	if len(os.Args) > 3 { // a certificate and its key
		// without session tickets each connection is a full handshake, as with the other servers here
		server := http.Server{Addr: ":" + os.Args[1], Handler: redirect, TLSConfig: &tls.Config{SessionTicketsDisabled: true}}
		log.Fatal(server.ListenAndServeTLS(os.Args[3], os.Args[4]))
	}
	log.Fatal(http.ListenAndServe(":"+os.Args[1], redirect))
}

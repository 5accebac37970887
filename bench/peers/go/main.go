package main

import (
	"log"
	"math/rand"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// backlog is nginx's and Apache's; Go itself takes as many as the kernel allows, 4,096.
const backlog = 511

// Arguments: PORT COUNT, and for TLS PORT CERTIFICATE KEY FOLDER, that of the pictures.
func main() {
	count, _ := strconv.Atoi(os.Args[2])
	pictures := http.FileServer(http.Dir(os.Args[6]))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/Renard-") {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			pictures.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Location", "https://avatar.spacefox.fr/Renard-"+strconv.Itoa(1+rand.Intn(count))+".png")
		w.Header().Set("Cache-Control", "private, no-store")
		w.WriteHeader(http.StatusFound)
	})
	listener, err := net.Listen("tcp", ":"+os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	raw, _ := listener.(*net.TCPListener).SyscallConn()
	raw.Control(func(socket uintptr) { syscall.Listen(int(socket), backlog) })
	go func() { log.Fatal(http.ServeTLS(listener, handler, os.Args[4], os.Args[5])) }()
	log.Fatal(http.ListenAndServe(":"+os.Args[1], handler))
}

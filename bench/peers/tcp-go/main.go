package main

import (
	"log"
	"math/rand"
	"net"
	"os"
	"strconv"
)

func main() {
	count, _ := strconv.Atoi(os.Args[2])
	listener, err := net.Listen("tcp", ":"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	request := make([]byte, 8192) // read, so that closing does not reset the connection, and ignored
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		connection.Read(request)
		connection.Write([]byte("HTTP/1.1 302 Found\r\n" +
			"Location: https://avatar.spacefox.fr/Renard-" + strconv.Itoa(1+rand.Intn(count)) + ".png\r\n" +
			"Cache-Control: private, no-store\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
		connection.Close()
	}
}

// Visits a server as a browser does: each visit opens a TLS connection of its own, asks for all its avatars at once by
// HTTP/2, and then, at a first visit, for the picture to which a redirect leads. Visits begin evenly at a fixed rate,
// whether or not the server keeps up, and a wait counts from the moment at which its visit was due.
package main

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"math/rand"
	"net"
	"os"
	"sort"
	"strings"
	"time"
)

// Arguments: ADDRESS HOST PATH STATUS PICTURE PICTURES AVATARS RATE SECONDS LIMIT. PICTURE is the path of a picture,
// with %d for its number, or empty; RATE is that of visits, of which there is at least one; LIMIT is in seconds.
var (
	address, host, path, status, picture string
	pictures, avatars, requests          int // requests are those of a visit
	limit                                time.Duration
)

type visit struct {
	right     int           // how many of its requests are answered rightly and in time
	wait, end time.Duration // from when it was due to the last answer; from the first visit's begin
}

// frame makes one of HTTP/2 (RFC 9113).
func frame(kind, flags, stream, payload string) string {
	return "\x00\x00" + string([]byte{byte(len(payload))}) + kind + flags + "\x00\x00\x00" + stream + payload
}

// hello is what a client sends first: settings (no dynamic table, so that each status is readable), and a window of
// 16 MB.
var hello = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame("\x04", "\x00", "\x00", "\x00\x01\x00\x00\x00\x00") +
	frame("\x08", "\x00", "\x00", "\x00\xff\x00\x00")

// get asks by HPACK's static table (RFC 7541).
func get(stream int, host, path string) string {
	fields := fmt.Sprintf("\x82\x87\x04%c%s\x01%c%s", len(path), path, len(host), host)
	return frame("\x01", "\x05", string(rune(stream)), fields)
}

// answers tells a response's status, its first field: one of the static table, or 302 in plain or in Huffman's code.
func answers(block []byte, status string) bool {
	block = bytes.TrimLeft(block, "\x20") // the table's size
	if status == "200" {
		return bytes.HasPrefix(block, []byte("\x88"))
	}
	return bytes.HasPrefix(block[1:], []byte("\x03302")) || bytes.HasPrefix(block[1:], []byte("\x82\x64\x02"))
}

// load asks for the avatars, and then, at a first visit, for a picture.
func load(due time.Time) (loaded visit) {
	raw, err := net.DialTimeout("tcp", address, limit)
	if err != nil {
		return
	}
	defer raw.Close()
	raw.SetDeadline(due.Add(limit))
	connection := tls.Client(raw, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"},
		ClientSessionCache: tls.NewLRUClientSessionCache(1), // it takes a ticket, as browsers do, and ends
		CurvePreferences:   []tls.CurveID{tls.X25519}})      // which every server knows
	text, wanted, expected := hello, avatars, status
	for index := 0; index < avatars; index++ {
		text += get(2*index+1, host, path)
	}
	if _, err := connection.Write([]byte(text)); err != nil {
		return
	}
	buffer := make([]byte, 1<<15)
	for filled, ended := 0, 0; ended < wanted; {
		count, err := connection.Read(buffer[filled:])
		if err != nil {
			return
		}
		rest := buffer[:filled+count]
		for len(rest) >= 9 {
			length := int(rest[0])<<16 + int(rest[1])<<8 + int(rest[2]) + 9
			if len(rest) < length {
				break
			}
			kind, flags := rest[3], rest[4]
			if kind == 1 && answers(rest[9:length], expected) {
				loaded.right++
			}
			if kind <= 1 && flags&1 == 1 || kind == 3 { // the last frame of an answer, or its cancellation
				ended++
			}
			rest = rest[length:]
		}
		filled = copy(buffer, rest)
		if ended == avatars && wanted < requests {
			wanted, expected = requests, "200"
			// drawn here: a Location may be in Huffman's code, and all pictures are alike
			text := get(2*avatars+1, host, fmt.Sprintf(picture, 1+rand.Intn(pictures)))
			if _, err := connection.Write([]byte(text)); err != nil {
				return
			}
		}
	}
	loaded.wait = time.Since(due)
	return
}

func main() {
	var rate, seconds, longest float64
	address, host, path, status, picture = os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	fmt.Sscan(strings.Join(os.Args[6:], " "), &pictures, &avatars, &rate, &seconds, &longest)
	limit, requests = time.Duration(longest*1e9), avatars
	if picture != "" {
		requests++
	}
	count := int(rate * seconds)
	if count == 0 {
		count = 1
	}
	visits, loaded, start := make([]visit, count), make(chan visit), time.Now()
	go func() {
		for index := range visits {
			due := start.Add(time.Duration(float64(index) / rate * 1e9))
			time.Sleep(time.Until(due))
			go func() {
				found := load(due)
				found.end = time.Since(start)
				loaded <- found
			}()
		}
	}()
	right, last := 0, time.Duration(1)
	for index := range visits {
		visits[index] = <-loaded
		right += visits[index].right
		if visits[index].wait > 0 {
			last = visits[index].end
		} else {
			// A visit that has lost an answer has no wait of its own.
			visits[index].wait = limit
		}
	}
	sort.Slice(visits, func(a, b int) bool { return visits[a].wait < visits[b].wait })
	good := float64(right) / float64(requests) // visits
	fmt.Printf(`{"visits": %.3f, "right": %.4f, "rate": %.2f, "wait": %.3f, "wait99": %.3f}`, good,
		good/float64(count), good/last.Seconds(),
		float64(visits[count/2].wait)/1e6, float64(visits[count*99/100].wait)/1e6)
}

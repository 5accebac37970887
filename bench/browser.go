// Loads pages from a server, as a browser does: each over a TLS connection of its own, all avatars at once by HTTP/2.
// Pages begin evenly at a fixed rate, whether or not the server keeps up.
package main

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"sort"
	"strings"
	"time"
)

const avatars = 20

type page struct {
	right     int           // how many of its avatars are answered rightly and in time
	wait, end time.Duration // from connecting to the last answer; from the first page's begin
}

// frame makes one of HTTP/2 (RFC 9113).
func frame(kind, flags, stream, payload string) string {
	return "\x00\x00" + string([]byte{byte(len(payload))}) + kind + flags + "\x00\x00\x00" + stream + payload
}

// request is what a client sends: settings (no dynamic table, so that each status is readable), a window of 16 MB, and
// a GET for each avatar, by HPACK's static table (RFC 7541).
func request(host, path string) []byte {
	text := "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame("\x04", "\x00", "\x00", "\x00\x01\x00\x00\x00\x00") +
		frame("\x08", "\x00", "\x00", "\x00\xff\x00\x00")
	get := fmt.Sprintf("\x82\x87\x04%c%s\x01%c%s", len(path), path, len(host), host)
	for stream := 1; stream < 2*avatars; stream += 2 {
		text += frame("\x01", "\x05", string(rune(stream)), get)
	}
	return []byte(text)
}

// answers tells a response's status, its first field: one of the static table, or 302 in plain or in Huffman's code.
func answers(block []byte, status string) bool {
	block = bytes.TrimLeft(block, "\x20") // the table's size
	if status == "200" {
		return bytes.HasPrefix(block, []byte("\x88"))
	}
	return bytes.HasPrefix(block[1:], []byte("\x03302")) || bytes.HasPrefix(block[1:], []byte("\x82\x64\x02"))
}

func load(address, status string, request []byte, begin time.Time, limit time.Duration) (loaded page) {
	raw, err := net.DialTimeout("tcp", address, limit)
	if err != nil {
		return
	}
	defer raw.Close()
	raw.SetDeadline(begin.Add(limit))
	connection := tls.Client(raw, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"},
		CurvePreferences: []tls.CurveID{tls.X25519}}) // which every server knows
	if _, err := connection.Write(request); err != nil {
		return
	}
	buffer := make([]byte, 1<<15)
	for filled, ended := 0, 0; ended < avatars; {
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
			if kind == 1 && answers(rest[9:length], status) {
				loaded.right++
			}
			if kind <= 1 && flags&1 == 1 || kind == 3 { // the last frame of an answer, or its cancellation
				ended++
			}
			rest = rest[length:]
		}
		filled = copy(buffer, rest)
	}
	loaded.wait = time.Since(begin)
	return
}

// Arguments: ADDRESS HOST PATH STATUS PAGES-A-SECOND SECONDS LIMIT; the limit is that of a page, in seconds.
func main() {
	var rate, seconds, limit float64
	fmt.Sscan(strings.Join(os.Args[5:], " "), &rate, &seconds, &limit)
	pages, loaded, start := make([]page, int(rate*seconds)), make(chan page), time.Now()
	text := request(os.Args[2], os.Args[3])
	go func() {
		for index := range pages {
			time.Sleep(time.Until(start.Add(time.Duration(float64(index) / rate * 1e9))))
			go func() {
				found := load(os.Args[1], os.Args[4], text, time.Now(), time.Duration(limit*1e9))
				found.end = time.Since(start)
				loaded <- found
			}()
		}
	}()
	right, last := 0, time.Duration(1)
	for index := range pages {
		pages[index] = <-loaded
		right += pages[index].right
		if pages[index].wait > 0 {
			last = pages[index].end
		} else {
			pages[index].wait = time.Duration(limit * 1e9)
		}
	}
	sort.Slice(pages, func(a, b int) bool { return pages[a].wait < pages[b].wait })
	fmt.Printf(`{"answers": %d, "right": %.4f, "rate": %.2f, "wait": %.3f, "wait99": %.3f}`, right,
		float64(right)/float64(len(pages)*avatars), float64(right)/avatars/last.Seconds(),
		float64(pages[len(pages)/2].wait)/1e6, float64(pages[len(pages)*99/100].wait)/1e6)
}

// Loads pages from a server, as a browser does: each over a TLS connection of its own, all avatars at once by HTTP/2.
// Pages begin evenly at a fixed rate, whether or not the server keeps up.
package main

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"os"
	"sort"
	"strconv"
	"time"
)

const avatars = 20

var (
	address, host, path, status = os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	rate, seconds, limit        = number(5), number(6), number(7) // limit: seconds to a page's last answer
	request                     = page()
	config                      = &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"},
		CurvePreferences: []tls.CurveID{tls.X25519}} // the same for every server
)

func number(index int) float64 {
	value, err := strconv.ParseFloat(os.Args[index], 64)
	if err != nil {
		panic(err)
	}
	return value
}

func frame(kind, flags, stream byte, payload string) string {
	return string([]byte{0, 0, byte(len(payload)), kind, flags, 0, 0, 0, stream}) + payload
}

// page is what the client sends: its settings, a window of 16 MB, and a GET for each avatar (RFC 9113, RFC 7541).
func page() []byte {
	text := "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, "") + frame(8, 0, 0, "\x00\xff\x00\x00")
	get := "\x82\x87\x04" + string(rune(len(path))) + path + "\x01" + string(rune(len(host))) + host
	for avatar := 0; avatar < avatars; avatar++ {
		text += frame(1, 5, byte(2*avatar+1), get)
	}
	return []byte(text)
}

// headers decodes what it has to of HPACK: a response's first field is its status, and some fields become indices.
type headers struct {
	block []byte
	added []string // the values of the dynamic table
}

func (h *headers) integer(bits int) int {
	most := 1<<bits - 1
	value := int(h.block[0]) & most
	h.block = h.block[1:]
	for shift, more := 0, value == most; more; shift += 7 {
		more = h.block[0] >= 128
		value += int(h.block[0]&127) << shift
		h.block = h.block[1:]
	}
	return value
}

func (h *headers) text() string {
	length := h.integer(7)
	text := string(h.block[:length])
	h.block = h.block[length:]
	return text
}

func (h *headers) literal(bits int) string {
	if h.integer(bits) == 0 {
		h.text()
	}
	return h.text()
}

func (h *headers) status(block []byte) (status string) {
	for h.block = block; len(h.block) > 0; {
		value := ""
		switch first := h.block[0]; {
		case first >= 128:
			if index := h.integer(7); index > 61 {
				value = h.added[len(h.added)-index+61]
			} else if index == 8 {
				value = "200"
			}
		case first >= 64:
			value = h.literal(6)
			h.added = append(h.added, value)
		case first >= 32: // the table's size
			h.integer(5)
			continue
		default:
			value = h.literal(4)
		}
		if status == "" {
			status = value
		}
	}
	if status == "\x64\x02" { // Huffman's code
		status = "302"
	}
	return
}

// load loads a page; how many avatars were answered rightly and in time, and when the last one was.
func load() (right int, wait time.Duration) {
	begin := time.Now()
	defer func() { recover() }() // a frame that is none
	raw, err := net.DialTimeout("tcp", address, time.Duration(limit*1e9))
	if err != nil {
		return
	}
	defer raw.Close()
	raw.SetDeadline(begin.Add(time.Duration(limit * 1e9)))
	connection := tls.Client(raw, config)
	if _, err := connection.Write(request); err != nil {
		return
	}
	buffer, known := make([]byte, 1<<15), headers{}
	for filled, ended := 0, 0; ended < avatars; {
		count, err := connection.Read(buffer[filled:])
		if err != nil {
			return
		}
		filled += count
		rest := buffer[:filled]
		for len(rest) >= 9 {
			length := int(rest[0])<<16 + int(rest[1])<<8 + int(rest[2]) + 9
			if len(rest) < length {
				break
			}
			kind, flags := rest[3], rest[4]
			switch {
			case kind == 1 && known.status(rest[9:length]) == status:
				right++
			case kind == 4 && flags == 0:
				io.WriteString(connection, frame(4, 1, 0, ""))
			}
			if kind <= 1 && flags&1 == 1 || kind == 3 {
				ended++
			}
			rest = rest[length:]
		}
		filled = copy(buffer, rest)
		wait = time.Since(begin)
	}
	return
}

func main() {
	type result struct {
		right     int
		wait, end time.Duration
	}
	pages, results, begin := int(rate*seconds), make(chan result), time.Now()
	go func() {
		for index := 0; index < pages; index++ {
			time.Sleep(time.Until(begin.Add(time.Duration(float64(index) / rate * 1e9))))
			go func() {
				right, wait := load()
				results <- result{right, wait, time.Since(begin)}
			}()
		}
	}()
	right, waits, last := 0, make([]float64, pages), time.Duration(1)
	for index := range waits {
		page := <-results
		right += page.right
		waits[index] = limit * 1e3
		if page.right == avatars {
			waits[index] = page.wait.Seconds() * 1e3
			last = page.end
		}
	}
	sort.Float64s(waits)
	json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"answers": float64(right), "right": float64(right) / float64(pages*avatars),
		"rate": float64(right) / avatars / last.Seconds(), // up to the last page that is complete
		"wait": waits[pages/2], "wait99": waits[pages*99/100]})
}

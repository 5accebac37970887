package main

import (
	_ "embed"
	"log"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"strings"
)

//go:embed avatar.svg
var svg string

// Draws the picture itself, at each visit in another of 360 colours.
func main() {
	before, after, _ := strings.Cut(svg, "hsl(0 ")
	log.Fatal(http.ListenAndServe(":"+os.Args[1], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Header().Set("Cache-Control", "private, no-store")
		w.Write([]byte(before + "hsl(" + strconv.Itoa(1+rand.Intn(360)) + " " + after))
	})))
}

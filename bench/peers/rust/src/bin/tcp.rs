use std::io::{Read, Write};
use std::net::TcpListener;

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let port: u16 = args[1].parse().expect("PORT");
    let count: u32 = args[2].parse().expect("COUNT");
    let mut request = [0; 8192]; // read, so that closing does not reset the connection, and ignored
    for stream in TcpListener::bind(("0.0.0.0", port))?.incoming() {
        let Ok(mut stream) = stream else { continue };
        let answer = format!(
            "HTTP/1.1 302 Found\r\nLocation: https://avatar.spacefox.fr/Renard-{}.png\r\n\
             Cache-Control: private, no-store\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            fastrand::u32(1..=count)
        );
        let _ = stream.read(&mut request).and_then(|_| stream.write_all(answer.as_bytes()));
    }
    Ok(())
}

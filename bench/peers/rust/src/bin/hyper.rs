use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, LOCATION};
use hyper::{server::conn::http1, service::service_fn, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")] // one core is what it gets
async fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let port: u16 = args[1].parse().expect("PORT");
    let count: u32 = args[2].parse().expect("COUNT");
    let listener = TcpListener::bind(("0.0.0.0", port)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(http1::Builder::new().serve_connection(
            TokioIo::new(stream),
            service_fn(move |_: Request<Incoming>| async move {
                let number = fastrand::u32(1..=count);
                Response::builder()
                    .status(StatusCode::FOUND)
                    .header(LOCATION, format!("https://avatar.spacefox.fr/Renard-{number}.png"))
                    .header(CACHE_CONTROL, "private, no-store")
                    .body(Empty::<Bytes>::new())
            }),
        ));
    }
}

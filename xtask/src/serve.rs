//! A web server for a folder of finished files, as a static host would serve them.
//!
//! For loopback and tests: it answers GET and HEAD and knows no encryption or ranges. It compresses nothing itself, and sends
//! the compressed copy (`name.br`) of a file that has one to those who can read it. It serves nothing outside of its folder.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::shell::{Failure, root};

/// A request line or header longer than this is not from a browser of ours.
const LINE_BYTES_MAX: usize = 16 * 1024;
/// A connection that says nothing for so long is closed.
const IDLE_MAX: Duration = Duration::from_secs(60);

pub(crate) struct Options {
    host: String,
    port: u16,
    folder: PathBuf,
    /// The path below which the folder appears; begins and ends with a slash.
    prefix: String,
}

impl Options {
    /// # Errors
    /// For an unknown option, a missing value, or a port that is no number.
    pub(crate) fn read(words: &[String]) -> Result<Self, Failure> {
        let mut options = Self {
            host: "127.0.0.1".to_owned(),
            port: 8080,
            folder: root().join("dist"),
            prefix: "/".to_owned(),
        };
        for pair in words.chunks(2) {
            let [name, value] = pair else {
                return Err(Failure::new(format!("{} needs a value", pair[0])));
            };
            match name.as_str() {
                "--host" => options.host.clone_from(value),
                "--port" => {
                    options.port = value.parse().map_err(|_| {
                        Failure::new(format!("--port takes a number from 0 to 65535, and {value:?} is none"))
                    })?;
                }
                "--dir" => options.folder = PathBuf::from(value),
                "--prefix" if value.starts_with('/') && value.ends_with('/') => {
                    options.prefix.clone_from(value)
                }
                "--prefix" => return Err(Failure::new("--prefix must begin and end with a slash")),
                other => return Err(Failure::new(format!("there is no option {other:?} here"))),
            }
        }
        Ok(options)
    }
}

pub(crate) struct Server {
    listener: TcpListener,
    site: Arc<Site>,
}

impl Server {
    /// # Errors
    /// Where the host is unknown or the port is taken.
    pub(crate) fn bind(options: &Options) -> Result<Self, Failure> {
        let Options { host, port, folder, prefix } = options;
        let unusable = |error| Failure::new(format!("cannot serve on {host}:{port}: {error}"));
        let addresses: Vec<SocketAddr> =
            (host.as_str(), *port).to_socket_addrs().map_err(unusable)?.collect();
        let listener = TcpListener::bind(&addresses[..]).map_err(|error| match error.kind() {
            std::io::ErrorKind::AddrInUse => Failure::new(format!(
                "port {port} on {host} is taken by another program; choose another one: --port {}",
                port.saturating_add(1)
            )),
            _ => unusable(error),
        })?;
        Ok(Self { listener, site: Arc::new(Site { folder: folder.clone(), prefix: prefix.clone() }) })
    }

    /// Serves until the process is ended.
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let address = self.listener.local_addr().map_err(|error| Failure::new(error.to_string()))?;
        println!("\nserving on http://{address}{} (Ctrl+C ends it)", self.site.prefix);
        for stream in self.listener.incoming().flatten() {
            let site = Arc::clone(&self.site);
            // A browser that goes away in the middle is no error of ours.
            thread::spawn(move || drop(site.serve_connection(stream)));
        }
        Ok(ExitCode::SUCCESS)
    }
}

struct Site {
    folder: PathBuf,
    prefix: String,
}

struct Response {
    status: &'static str,
    content_type: &'static str,
    cache_control: &'static str,
    /// Of a redirection.
    location: Option<String>,
    is_brotli: bool,
    body: Vec<u8>,
}

/// What is of interest in the head of a request.
struct Head {
    request_line: String,
    takes_brotli: bool,
}

impl Response {
    fn plain(status: &'static str) -> Self {
        let body = format!("{status}\n").into_bytes();
        Self {
            status,
            content_type: "text/plain; charset=utf-8",
            cache_control: "no-store",
            location: None,
            is_brotli: false,
            body,
        }
    }
}

impl Site {
    fn serve_connection(&self, stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(IDLE_MAX))?;
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut writer = stream;
        while let Some(head) = read_head(&mut reader)? {
            let mut words = head.request_line.split(' ');
            let method = words.next().unwrap_or_default();
            let response = match (method, words.next()) {
                ("GET" | "HEAD", Some(target)) => self.respond(target, head.takes_brotli),
                _ => Response::plain("405 Method Not Allowed"),
            };
            write_response(&mut writer, &response, method == "HEAD")?;
        }
        Ok(())
    }

    fn respond(&self, target: &str, takes_brotli: bool) -> Response {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        if path.len() + 1 == self.prefix.len() && self.prefix.starts_with(path) {
            let location = Some(self.prefix.clone());
            return Response { location, ..Response::plain("308 Permanent Redirect") };
        }
        let Some(file) = path.strip_prefix(&self.prefix).and_then(|path| self.file(path)) else {
            return Response::plain("404 Not Found");
        };
        let compressed = takes_brotli.then(|| fs::read(file.with_added_extension("br")).ok()).flatten();
        let is_brotli = compressed.is_some();
        let Some(body) = compressed.or_else(|| fs::read(&file).ok()) else {
            return Response::plain("404 Not Found");
        };
        Response {
            status: "200 OK",
            content_type: content_type(&file),
            cache_control: cache_control(&file, query),
            location: None,
            is_brotli,
            body,
        }
    }

    /// The file behind a path; None where the path would lead out of the folder.
    fn file(&self, path: &str) -> Option<PathBuf> {
        let path = percent_decoded(path)?;
        let relative = Path::new(&path);
        if !relative.components().all(|component| matches!(component, Component::Normal(_))) {
            return None;
        }
        let file = self.folder.join(relative);
        Some(if file.is_dir() { file.join("index.html") } else { file })
    }
}

/// None where the connection has ended.
fn read_head(reader: &mut impl BufRead) -> std::io::Result<Option<Head>> {
    let mut head: Option<Head> = None;
    loop {
        let mut line = Vec::new();
        let mut limited = std::io::Read::take(&mut *reader, LINE_BYTES_MAX as u64);
        if limited.read_until(b'\n', &mut line)? == 0 || line.len() == LINE_BYTES_MAX {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        match (&mut head, line.is_empty()) {
            (None, true) => {}
            (None, false) => head = Some(Head { request_line: line, takes_brotli: false }),
            (Some(head), false) => head.takes_brotli |= takes_brotli(&line),
            (Some(_), true) => return Ok(head),
        }
    }
}

/// Whether this header says so.
fn takes_brotli(header: &str) -> bool {
    header.split_once(':').is_some_and(|(name, encodings)| {
        name.eq_ignore_ascii_case("accept-encoding")
            && encodings
                .split(',')
                .any(|encoding| encoding.split(';').next().is_some_and(|name| name.trim() == "br"))
    })
}

fn write_response(writer: &mut impl Write, response: &Response, head_only: bool) -> std::io::Result<()> {
    let Response { status, content_type, cache_control, location, is_brotli, body } = response;
    // The last header lets the engine's module be loaded by a sandboxed frame, whose origin is opaque.
    let mut text = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nContent-Type: {content_type}\r\nCache-Control: {cache_control}\r\n\
         X-Content-Type-Options: nosniff\r\nAccess-Control-Allow-Origin: *\r\nVary: Accept-Encoding\r\n",
        body.len()
    );
    if *is_brotli {
        text += "Content-Encoding: br\r\n";
    }
    if let Some(location) = location {
        text += &format!("Location: {location}\r\n");
    }
    text += "\r\n";
    let mut bytes = text.into_bytes();
    if !head_only {
        bytes.extend_from_slice(body);
    }
    writer.write_all(&bytes)
}

/// Browsers refuse modules and compile WebAssembly more slowly where these are wrong.
fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "md" => "text/markdown; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// What carries the hash of its content, in its name or as `?v=`, never changes; all else may at any time.
fn cache_control(file: &Path, query: &str) -> &'static str {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let hashed = name.split(['-', '_', '.']).any(|part| part.len() == 16 && is_hex(part));
    if hashed || query.strip_prefix("v=").is_some_and(is_hex) {
        "public, max-age=31536000, immutable"
    } else {
        "no-store"
    }
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// None for a broken escape, and for what is no UTF-8.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(target: &str, status: &str, content_type: &str, cache_control: &str) {
        let folder = std::env::temp_dir().join(format!("playground-serve-{}", std::process::id()));
        fs::create_dir_all(folder.join("in")).unwrap();
        for name in ["index.html", "app-0123456789abcdef_bg.wasm", "engine.js", "in/index.html"] {
            fs::write(folder.join(name), name).unwrap();
        }
        let response = Site { folder, prefix: "/docs/play/".to_owned() }.respond(target, false);
        assert_eq!(
            (response.status, response.content_type, response.cache_control),
            (status, content_type, cache_control)
        );
    }

    #[test]
    fn files_come_with_their_type_and_the_right_life_in_caches() {
        let forever = "public, max-age=31536000, immutable";
        check("/docs/play/", "200 OK", "text/html; charset=utf-8", "no-store");
        check("/docs/play/in/", "200 OK", "text/html; charset=utf-8", "no-store");
        check("/docs/play/app-0123456789abcdef_bg.wasm", "200 OK", "application/wasm", forever);
        check("/docs/play/engine.js", "200 OK", "text/javascript; charset=utf-8", "no-store");
        check("/docs/play/engine.js?v=12ab", "200 OK", "text/javascript; charset=utf-8", forever);
    }

    #[test]
    fn nothing_outside_of_the_folder_is_served() {
        for path in [
            "/",
            "/docs/play/../index.html",
            "/docs/play/%2e%2e/x",
            "/docs/play//etc/passwd",
            "/docs/play/%2",
        ] {
            check(path, "404 Not Found", "text/plain; charset=utf-8", "no-store");
        }
    }

    #[test]
    fn a_prefix_without_its_slash_leads_to_the_page() {
        let site = Site { folder: PathBuf::new(), prefix: "/docs/play/".to_owned() };
        assert_eq!(site.respond("/docs/play", false).location.as_deref(), Some("/docs/play/"));
    }

    #[test]
    fn a_compressed_copy_goes_to_those_who_can_read_it() {
        let folder = std::env::temp_dir().join(format!("playground-serve-br-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for name in ["a.wasm", "a.wasm.br", "b.wasm"] {
            fs::write(folder.join(name), name).unwrap();
        }
        let site = Site { folder, prefix: "/".to_owned() };
        for (target, header, body) in [
            ("/a.wasm", "Accept-Encoding: gzip, deflate, br, zstd", "a.wasm.br"),
            ("/a.wasm", "accept-encoding: br;q=1.0", "a.wasm.br"),
            ("/a.wasm", "Accept-Encoding: gzip", "a.wasm"),
            ("/b.wasm", "Accept-Encoding: br", "b.wasm"),
        ] {
            let request = format!("GET {target} HTTP/1.1\r\n{header}\r\n\r\n");
            let head = read_head(&mut request.as_bytes()).unwrap().unwrap();
            let response = site.respond(target, head.takes_brotli);
            assert_eq!(String::from_utf8(response.body).unwrap(), body, "{header}");
            assert_eq!(
                (response.is_brotli, response.content_type),
                (body.ends_with("br"), "application/wasm")
            );
        }
    }
}

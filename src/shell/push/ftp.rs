//! A file for a server that takes some by FTP: with TLS (`ftps:`, RFC 4217), or in the clear.
//!
//! It is sent beside its place and then given its name, so that nobody who reads it meanwhile has
//! half of it.

use super::client::{ANSWER_MAX, CONNECT_MAX, Secret, Upload, WAY_OUT, authorities, is_service};
use crate::relay::push::{Response, Upshot};
use percent_encoding::percent_decode_str;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use suppaftp::types::FileType;
use suppaftp::{FtpError, FtpResult, Mode, RustlsConnector, RustlsFtpStream};
use ureq::http::Uri;

/// The port of FTP (RFC 959, 8).
const PORT: u16 = 21;
/// What stands behind the name of a file until all of it is there.
const UNFINISHED: &str = ".part";

/// Stores a file there, in the folder that its address names: from where the user comes in, or
/// from the root if the path begins with `%2F`.
pub(super) fn store(sending: &Upload) -> Upshot {
    match try_store(sending) {
        Ok(()) => Upshot::Done(Vec::new()),
        Err(upshot) => upshot,
    }
}

fn try_store(sending: &Upload) -> Result<(), Upshot> {
    let unusable = || Upshot::Refused("this is no address of a file; set url".to_owned());
    let uri: Uri = sending.address.parse().map_err(|_| unusable())?;
    let host = uri.host().ok_or_else(unusable)?.trim_matches(['[', ']']);
    let path = percent_decode_str(uri.path().trim_start_matches('/')).decode_utf8_lossy();
    let stream = connect(host, uri.port_u16().unwrap_or(PORT))
        .map_err(|error| Upshot::Failed(unreached(&error)))?;
    let ftp = RustlsFtpStream::connect_with_stream(stream).map_err(told)?;
    let ftp = if uri.scheme_str() == Some("ftps") { secure(ftp, host)? } else { ftp };
    let login = match &sending.secret {
        Secret::Basic(login) => login.as_str(),
        Secret::Bearer(_) | Secret::None => "anonymous:rokade",
    };
    put(ftp, login, &path, &sending.body).map_err(told)
}

/// A connection on which nothing is waited for without an end.
fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "this name has no address");
    for addr in (host, port).to_socket_addrs()? {
        match reach(addr) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn reach(addr: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&addr, CONNECT_MAX)?;
    stream.set_read_timeout(Some(ANSWER_MAX))?;
    stream.set_write_timeout(Some(ANSWER_MAX))?;
    Ok(stream)
}

/// Nothing goes out before the server has shown who it is.
fn secure(ftp: RustlsFtpStream, host: &str) -> Result<RustlsFtpStream, Upshot> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(authorities().map_err(Upshot::Failed)?);
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Upshot::Failed(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = RustlsConnector::from(Arc::new(config));
    ftp.into_secure(connector, host).map_err(|error| match error {
        FtpError::UnexpectedResponse(_) => Upshot::Refused(format!(
            "it has no TLS ({error}); write ftp: in url if the password may be read on the way"
        )),
        error => told(error),
    })
}

fn put(mut ftp: RustlsFtpStream, login: &str, path: &str, body: &str) -> FtpResult<()> {
    let is_v6 = ftp.get_ref().peer_addr().is_ok_and(|addr| addr.is_ipv6());
    ftp.set_mode(if is_v6 { Mode::ExtendedPassive } else { Mode::Passive });
    // Servers behind a router name the address that they have behind it.
    ftp.set_passive_nat_workaround(true);
    let mut ftp = ftp.passive_stream_builder(|addr| reach(addr).map_err(FtpError::ConnectionError));
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    ftp.login(user, password)?;
    ftp.transfer_type(FileType::Binary)?;
    let unfinished = format!("{path}{UNFINISHED}");
    ftp.put_file(&unfinished, &mut body.as_bytes())?;
    if ftp.rename(unfinished.as_str(), path).is_err() {
        // There are servers that put no file in the place of another.
        ftp.rm(path)?;
        ftp.rename(unfinished.as_str(), path)?;
    }
    // It has the file: whether it says goodbye is nothing to us.
    let _ = ftp.quit();
    Ok(())
}

/// What became of it, where it is not there now.
fn told(error: FtpError) -> Upshot {
    match error {
        FtpError::UnexpectedResponse(response) => {
            let status = u16::try_from(response.status.code()).unwrap_or(0);
            let body = String::from_utf8_lossy(&response.body).into_owned();
            Response { status, body, ..Response::default() }.to_store()
        }
        FtpError::ConnectionError(error) => Upshot::Failed(unreached(&error)),
        error => Upshot::Failed(format!("it cannot be understood: {error}")),
    }
}

fn unreached(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::TimedOut if is_service() => format!("it does not answer{WAY_OUT}"),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => "it does not answer".to_owned(),
        _ => format!("it cannot be reached: {error}"),
    }
}

//! Boards that are HID devices of USB, such as Chessnut's: the kernel hands each report over as it
//! comes, at `/dev/hidraw*`. Finding them needs no library: their numbers are in `/sys`.

use super::error::{LineError, Operation};
use crate::wire::chessnut::{PRODUCTS, VENDOR};
use rustix::fs::{FlockOperation, OFlags};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::unix::pipe;

/// What the descriptor of the interface begins with that boards are spoken to by: a usage page of
/// the maker's own. Others of the same device may be keyboards. Protocol 7.2.
const OWN_PAGE: [u8; 3] = [0x06, 0x00, 0xff];

/// Whether the device at this path is such a one, by the name that the kernel gives it.
pub(super) fn is_hid(path: &Path) -> bool {
    let device = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    device.file_name().is_some_and(|name| name.to_string_lossy().starts_with("hidraw"))
}

/// The boards that are there, by what `/sys` in the system's `root` tells, as paths below `dev`.
pub(super) fn search(root: &Path, dev: &Path) -> Vec<PathBuf> {
    // A folder that cannot be read holds nothing for us.
    let Ok(entries) = fs::read_dir(root.join("sys/class/hidraw")) else { return Vec::new() };
    let is_board = |folder: &Path| {
        let uevent = fs::read_to_string(folder.join("device/uevent")).unwrap_or_default();
        let descriptor = fs::read(folder.join("device/report_descriptor")).unwrap_or_default();
        uevent.lines().any(is_board_id) && descriptor.starts_with(&OWN_PAGE)
    };
    let boards = entries.flatten().filter(|entry| is_board(&entry.path()));
    let mut paths: Vec<PathBuf> = boards.map(|entry| dev.join(entry.file_name())).collect();
    paths.sort();
    paths
}

/// Whether this line names a board: `HID_ID=0003:00002D80:00008100`, bus, maker and product.
fn is_board_id(line: &str) -> bool {
    let Some(id) = line.strip_prefix("HID_ID=") else { return false };
    let number = |word: Option<&str>| u32::from_str_radix(word?, 16).ok();
    let mut words = id.split(':').skip(1);
    let (vendor, product) = (number(words.next()), number(words.next()));
    let product = product.and_then(|it| u16::try_from(it).ok());
    vendor == Some(VENDOR.into()) && product.is_some_and(|it| PRODUCTS.contains(&it))
}

/// Opens such a device for this program alone.
pub(super) fn open(path: &Path) -> Result<File, LineError> {
    let failed = |e| LineError::of(path.to_owned(), Operation::Opening, e);
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or(0);
    let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path);
    let file = file.map_err(failed)?;
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)
        .map_err(|errno| failed(errno.into()))?;
    Ok(file)
}

/// A device whose every read is a report, and every write too. To the event loop it is a pipe: what
/// can be waited for in the same way.
#[derive(Debug)]
pub(super) struct HidStream {
    from_board: pipe::Receiver,
    to_board: pipe::Sender,
}

impl HidStream {
    /// Must be called inside a runtime, with a file that does not block.
    pub(super) fn new(file: File) -> io::Result<Self> {
        let to_board = pipe::Sender::from_file_unchecked(file.try_clone()?)?;
        Ok(Self { from_board: pipe::Receiver::from_file_unchecked(file)?, to_board })
    }
}

impl AsyncRead for HidStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.from_board.poll_read_ready(cx))?;
            // Its own `poll_read` takes a read that fills no buffer for the last one, and would
            // leave the next report where it is.
            match self.from_board.try_read(buf.initialize_unfilled()) {
                Err(e) if e.kind() == ErrorKind::WouldBlock => {}
                done => return Poll::Ready(done.map(|n| buf.advance(n))),
            }
        }
    }
}

impl AsyncWrite for HidStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.to_board).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.to_board).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.to_board).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::timeout;

    #[test]
    fn a_board_is_found_by_its_numbers_and_its_own_page() {
        let root = tempfile::tempdir().unwrap();
        for (name, id, descriptor) in [
            ("hidraw0", "0003:000046D:0000C31C", &[0x05, 0x01][..]),
            // A keyboard of the same device.
            ("hidraw1", "0003:00002D80:00008100", &[0x05, 0x01]),
            ("hidraw2", "0003:00002D80:00008100", &[0x06, 0x00, 0xff, 0x09]),
            ("hidraw3", "0003:00002D80:00008700", &[0x06, 0x00, 0xff]),
            ("hidraw4", "0005:00002D80:00008600", &[0x06, 0x00, 0xff]),
        ] {
            let device = root.path().join("sys/class/hidraw").join(name).join("device");
            fs::create_dir_all(&device).unwrap();
            let uevent = format!("DRIVER=hid-generic\nHID_ID={id}\nHID_NAME=Chessnut\n");
            fs::write(device.join("uevent"), uevent).unwrap();
            fs::write(device.join("report_descriptor"), descriptor).unwrap();
        }
        let found = search(root.path(), Path::new("/dev"));
        assert_eq!(found, [Path::new("/dev/hidraw2"), Path::new("/dev/hidraw4")]);
        assert_eq!(search(&root.path().join("nowhere"), Path::new("/dev")), [] as [&Path; 0]);
        assert!(is_hid(Path::new("/dev/hidraw7")) && !is_hid(Path::new("/dev/ttyACM0")));
    }

    #[tokio::test]
    async fn each_write_is_a_report_and_each_read_one() {
        let kind = SocketType::SEQPACKET;
        let (ours, board) =
            socketpair(AddressFamily::UNIX, kind, SocketFlags::NONBLOCK, None).unwrap();
        let mut ours = HidStream::new(File::from(ours)).unwrap();
        let mut board = HidStream::new(File::from(board)).unwrap();
        ours.write_all(&[0x21, 1, 0]).await.unwrap();
        ours.write_all(&[0x0a, 8]).await.unwrap();
        let mut buf = [0; 64];
        // Both wait there already.
        for n in [3, 2] {
            let read = timeout(Duration::from_secs(5), board.read(&mut buf)).await;
            assert_eq!(read.expect("a report").unwrap(), n);
        }
        let told = async {
            let mut buf = [0; 64];
            ours.read(&mut buf).await.unwrap()
        };
        let (n, ()) = tokio::join!(told, async { board.write_all(&[7; 63]).await.unwrap() });
        assert_eq!(n, 63);
    }
}

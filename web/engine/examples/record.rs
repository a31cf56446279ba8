//! Writes down what the engine tells of stories, so that the page can tell them before it has the engine: `FOLDER FILE.md…`.
//! Requests and answers by turns, a line each, as `web/js/engine_host.js` reads them.

use std::path::Path;
use std::{env, fs, io};

use playground_engine::Desk;
use playground_model::frame::Frame;
use playground_model::message::{Answer, Request};

fn main() -> io::Result<()> {
    let mut words = env::args_os().skip(1);
    let folder = words.next().ok_or_else(|| io::Error::other("usage: record FOLDER FILE.md…"))?;
    fs::create_dir_all(&folder)?;
    for file in words {
        let name = Path::new(&file).with_extension("txt");
        let name = name.file_name().ok_or_else(|| io::Error::other("a story is a file"))?;
        fs::write(Path::new(&folder).join(name), Recorder::default().record(fs::read_to_string(&file)?))?;
    }
    Ok(())
}

#[derive(Default)]
struct Recorder {
    desk: Desk,
    lines: String,
}

impl Recorder {
    /// All that the page asks while somebody steps through the story.
    fn record(mut self, text: String) -> String {
        self.ask(&Request::Load { text, known: 0, spoilt: Vec::new() });
        self.ask(&Request::Look { position: 0, rows: Frame::ROWS });
        let mut unseen = Vec::new();
        for position in 1.. {
            let Answer::Ran(ran) = self.ask(&Request::Run) else { break };
            if ran.frame.is_none() {
                unseen.push(position);
            }
            if ran.done {
                break;
            }
        }
        for position in unseen {
            self.ask(&Request::Look { position, rows: Frame::ROWS });
        }
        self.lines
    }

    fn ask(&mut self, request: &Request) -> Answer {
        let request = serde_json::to_string(request).expect("a request can be written");
        let answer = self.desk.answer_text(&request);
        for line in [&request, &answer] {
            self.lines += line;
            self.lines.push('\n');
        }
        serde_json::from_str(&answer).expect("the engine's answer can be read")
    }
}

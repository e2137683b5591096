//! The handshake with Nushell, with a check of its version.
//!
//! Nushell refuses a plugin whose protocol has another minor version than its own, although 0.114 and 0.115 use the
//! same messages (the tests run every plugin command in both). The plugin therefore reads Nushell's version first and
//! answers with the same one. To any other version it sends its own, which Nushell refuses with its own message, and
//! prints a line with the remedy.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, bail};
use nu_plugin::{MsgPackSerializer, serve_plugin_io};
use nu_plugin_core::{
    ClientCommunicationIo, CommunicationMode, Encoder, PluginEncoder as _, PluginRead, PluginWrite,
};
use nu_plugin_protocol::{PluginInput, PluginOutput, ProtocolInfo};
use nu_protocol::ShellError;

use super::Ask;
use askline_syntax::clean::visible;
use askline_syntax::shell::{NU_PLUGIN_VERSIONS, nu_plugin_supports};

/// Name of the plugin in errors.
const NAME: &str = "ask";

/// Maximum length of a version in messages, in characters.
const VERSION_MAX: usize = 32;

/// Serves Nushell's calls until it closes the connection.
///
/// # Errors
/// When the connection to Nushell fails.
pub(super) fn serve(plugin: &Ask, mode: CommunicationMode) -> anyhow::Result<()> {
    let connection = mode.connect_as_client().context("can't connect to Nushell")?;
    let (input, output, is_stdout): (Box<dyn Read + Send>, Box<dyn Write + Send>, bool) = match connection {
        ClientCommunicationIo::Stdio(input, output) => (Box::new(input), Box::new(output), true),
        ClientCommunicationIo::LocalSocket { read_in, write_out } => {
            (Box::new(read_in), Box::new(write_out), false)
        }
    };
    let mut output = BufWriter::new(output);
    write_encoding(&mut output).context("can't write to Nushell")?;
    let mut input = BufReader::new(input);
    let first: Option<PluginInput> =
        MsgPackSerializer {}.decode(&mut input).context("can't read Nushell's first message")?;
    let Some(PluginInput::Hello(theirs)) = first else {
        bail!("the first message is not Nushell's handshake");
    };
    let ours = ProtocolInfo::default();
    let version = if nu_plugin_supports(&theirs.version) {
        theirs.version.clone()
    } else if is_stdout {
        // Nushell tries a socket first and, if that fails, stdio; one message is enough.
        let shown: String = visible(&theirs.version).chars().take(VERSION_MAX).collect();
        let versions = NU_PLUGIN_VERSIONS.join(" and ");
        let _ = writeln!(
            io::stderr().lock(),
            "askline: the plugin works in Nushell {versions}, and this is {shown}; use the script, which needs no plugin: \
             askline init nu"
        );
        ours.version.clone()
    } else {
        ours.version.clone()
    };
    // The library below must see its own version.
    let hello = PluginInput::Hello(ProtocolInfo { version: ours.version, ..theirs });
    let reader = HelloReader { input, first: Some(hello) };
    let writer = HelloWriter { output: Mutex::new(output), version, is_stdout };
    // Later errors have been reported to Nushell, or Nushell is gone.
    let _ = serve_plugin_io(plugin, NAME, move || reader, move || writer);
    Ok(())
}

/// Writes the name of the encoding of all that follows: a byte with the length of the name, then the name.
fn write_encoding(output: &mut dyn Write) -> anyhow::Result<()> {
    let encoder = MsgPackSerializer {};
    let name = encoder.name();
    output.write_all(&[u8::try_from(name.len())?])?;
    output.write_all(name.as_bytes())?;
    Ok(output.flush()?)
}

/// The input from Nushell, with the already received hello put back in front.
struct HelloReader<R> {
    input: R,
    first: Option<PluginInput>,
}

impl<R: BufRead + Send> PluginRead<PluginInput> for HelloReader<R> {
    fn read(&mut self) -> Result<Option<PluginInput>, ShellError> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => MsgPackSerializer {}.decode(&mut self.input),
        }
    }
}

/// The output to Nushell, with the version that it accepts.
struct HelloWriter<W> {
    output: Mutex<W>,
    version: String,
    is_stdout: bool,
}

impl<W: Write + Send> PluginWrite<PluginOutput> for HelloWriter<W> {
    fn write(&self, message: &PluginOutput) -> Result<(), ShellError> {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        match message {
            PluginOutput::Hello(hello) => {
                let hello = ProtocolInfo { version: self.version.clone(), ..hello.clone() };
                MsgPackSerializer {}.encode(&PluginOutput::Hello(hello), &mut *output)
            }
            message => MsgPackSerializer {}.encode(message, &mut *output),
        }
    }

    fn flush(&self) -> Result<(), ShellError> {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let flushed = output.flush();
        flushed.map_err(|error| ShellError::PluginFailedToEncode { msg: error.to_string() })
    }

    fn is_stdout(&self) -> bool {
        self.is_stdout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_are_those_of_the_library() {
        assert!(nu_plugin_supports(&ProtocolInfo::default().version));
        for (version, expected) in [
            ("0.115.0", true),
            ("0.115.3-nightly.1", true),
            ("0.114.1", true),
            ("0.113.1", false),
            ("0.999.0", false),
            ("0.1150.0", false),
            ("0.115", false),
            ("1.115.0", false),
            ("", false),
        ] {
            assert_eq!(nu_plugin_supports(version), expected, "{version:?}");
        }
    }
}

//! Shared parts of our HTTP clients.

use std::error::Error;

/// Selects the implementation of TLS for this process.
pub(crate) fn prepare_tls() {
    // Fails only if a provider is installed already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Returns the text of the innermost cause, which is the informative one.
pub(crate) fn root(error: &(dyn Error + 'static)) -> String {
    anyhow::Chain::new(error).last().map(ToString::to_string).unwrap_or_default()
}

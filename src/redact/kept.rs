//! The secrets of one request: which placeholder stands for which.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use zeroize::Zeroizing;

use super::placeholder::own_quote;

/// Shorter secrets than this can't be looked for: they would be found in any text. In bytes.
const MIN_KNOWN_BYTES: usize = 4;

/// The secrets of one request. They are never shown, and their memory is overwritten when this is dropped.
#[derive(Default)]
pub struct Kept {
    secrets: BTreeMap<u32, Secret>,
    numbers: HashMap<Secret, u32>,
    known: Vec<Zeroizing<String>>,
    /// Numbers whose placeholders stood in a text before we gave them out, and so mean something else.
    reserved: HashSet<u32>,
    last: u32,
}

/// One copy in memory, overwritten with the last of its owners; compared and hashed as the text that it is.
#[derive(Clone, PartialEq, Eq)]
struct Secret(Arc<Zeroizing<String>>);

impl Hash for Secret {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_str().hash(state);
    }
}

impl Borrow<str> for Secret {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl Kept {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Has this secret replaced wherever it stands, even inside of words. Shorter ones than four bytes are no secrets, and
    /// what is itself part of a placeholder's name can't be hidden by one.
    pub fn know(&mut self, secret: &str) {
        if MIN_KNOWN_BYTES <= secret.len() && !self.known.iter().any(|known| known.as_str() == secret) {
            self.known.push(Zeroizing::new(secret.to_owned()));
        }
    }

    /// Forgets the secrets of one request before another one, but for what the caller knows.
    pub fn begin_anew(&mut self) {
        *self = Self { known: std::mem::take(&mut self.known), ..Self::default() };
    }

    /// How many secrets were replaced.
    pub fn len(&self) -> usize {
        self.secrets.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// What the caller knows.
    pub(super) fn known(&self) -> impl Iterator<Item = &[u8]> {
        self.known.iter().map(|secret| secret.as_bytes())
    }

    /// The secrets that have a number, without their own quotes, as far as they are long enough to be looked for.
    pub(super) fn earlier(&self) -> impl Iterator<Item = &[u8]> {
        let bare = self.secrets.values().map(|secret| {
            let secret = secret.0.as_str();
            let inner = secret.get(1..secret.len().saturating_sub(1));
            inner.filter(|_| own_quote(secret)).unwrap_or(secret)
        });
        bare.filter(|secret| MIN_KNOWN_BYTES <= secret.len()).map(str::as_bytes)
    }

    /// Whether this text has a number.
    pub(super) fn has(&self, secret: &str) -> bool {
        self.numbers.contains_key(secret)
    }

    /// The number of this secret, a new one for a new one.
    pub(super) fn number(&mut self, secret: &str) -> u32 {
        if let Some(number) = self.numbers.get(secret) {
            return *number;
        }
        self.last += 1;
        while self.reserved.contains(&self.last) {
            self.last += 1;
        }
        let secret = Secret(Arc::new(Zeroizing::new(secret.to_owned())));
        self.secrets.insert(self.last, secret.clone());
        self.numbers.insert(secret, self.last);
        self.last
    }

    /// The secret of this number.
    pub(super) fn secret(&self, number: u32) -> Option<&str> {
        self.secrets.get(&number).map(|secret| secret.0.as_str())
    }

    /// Doesn't give this number out unless that is done already.
    pub(super) fn reserve(&mut self, number: u32) {
        if !self.secrets.contains_key(&number) {
            self.reserved.insert(number);
        }
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Kept").field("len", &self.len()).finish_non_exhaustive()
    }
}

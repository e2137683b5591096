//! Secrets of one request and their placeholders.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use zeroize::Zeroizing;

/// Minimum length of a secret that is searched for, in bytes; shorter ones would match in any text.
const KNOWN_BYTES_MIN: usize = 4;

/// Secrets of one request. They are never displayed, and their memory is overwritten on drop.
#[derive(Default)]
pub struct Kept {
    secrets: BTreeMap<u32, Secret>,
    numbers: HashMap<Secret, u32>,
    known: Vec<Zeroizing<String>>,
    /// Numbers of placeholders that a text contained before they were assigned, and that therefore mean something else.
    reserved: HashSet<u32>,
    last: u32,
    /// The number before the first one.
    before: u32,
}

/// Single copy of a secret in memory, overwritten when its last owner is dropped; compared and hashed as text.
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
    /// Creates an empty set of secrets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty set whose numbers begin after `last`, for a text that meets the placeholders of another set.
    pub fn after(last: u32) -> Self {
        Self { last, before: last, ..Self::default() }
    }

    /// Declares a secret: replaces it wherever it occurs, even inside words. Text shorter than four bytes is ignored.
    /// Text that is part of a placeholder's name cannot be hidden.
    pub fn know(&mut self, secret: &str) {
        if KNOWN_BYTES_MIN <= secret.len() && !self.known.iter().any(|known| known.as_str() == secret) {
            self.known.push(Zeroizing::new(secret.to_owned()));
        }
    }

    /// Forgets the secrets of one request before the next, but keeps those declared by the caller.
    pub fn begin_anew(&mut self) {
        *self = Self { known: std::mem::take(&mut self.known), ..Self::after(self.before) };
    }

    /// Returns the number of replaced secrets.
    pub fn len(&self) -> usize {
        self.secrets.len()
    }

    /// Reports whether no secret was replaced.
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Returns the secrets declared by the caller.
    pub(super) fn known(&self) -> impl Iterator<Item = &[u8]> {
        self.known.iter().map(|secret| secret.as_bytes())
    }

    /// Returns the numbered secrets without their own quotes, if they are long enough to search for.
    pub(super) fn earlier(&self) -> impl Iterator<Item = &[u8]> {
        let bare = self.secrets.values().map(|secret| {
            let secret = secret.0.as_str();
            let inner = secret.get(1..secret.len().saturating_sub(1));
            inner.filter(|_| own_quote(secret)).unwrap_or(secret)
        });
        bare.filter(|secret| KNOWN_BYTES_MIN <= secret.len()).map(str::as_bytes)
    }

    /// Reports whether this text has a number.
    pub(super) fn has(&self, secret: &str) -> bool {
        self.numbers.contains_key(secret)
    }

    /// Returns the number of a secret and assigns the next free one to a new secret.
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

    /// Returns the secret with this number.
    pub(super) fn secret(&self, number: u32) -> Option<&str> {
        self.secrets.get(&number).map(|secret| secret.0.as_str())
    }

    /// Reports whether a number is assigned or reserved.
    pub(super) fn is_taken(&self, number: u32) -> bool {
        self.secrets.contains_key(&number) || self.reserved.contains(&number)
    }

    /// Reserves a number unless it is already assigned.
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

/// Reports whether a secret begins and ends with the same quote.
pub(super) fn own_quote(secret: &str) -> bool {
    let quote = secret.starts_with(['\'', '"']).then(|| secret.chars().next()).flatten();
    2 <= secret.len() && quote.is_some() && secret.chars().next_back() == quote
}

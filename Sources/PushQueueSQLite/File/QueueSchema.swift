import PushQueue
import PushSQLite

/// The tables of a queue file. A person can read them with `sqlite3`: each value of an entry has a column, and
/// outcomes are lines of JSON.
///
/// The number of an entry is that of its queue, shifted left by 40 bits, plus one that grows. It is never used twice.
/// The first one is random: a worker may still have the number of an entry of a file that was here before.
/// An entry with a number above `queues.taken_to` is fresh, unless `taken`, `later` or `dead` has it. Any other one is
/// in exactly one of these. So an entry that is put in, taken and settled changes no index but those of the numbers,
/// and that of `calls`. An urgent one waits in `later` from the start, so that it is found behind any number of others.
enum QueueSchema {
    /// `APNQ`, at the place where SQLite keeps the id of an application.
    static let applicationID: Int64 = 0x4150_4E51
    /// 2 since entries have a campaign, 3 since they have a lane: an earlier program could put none in.
    static let version: Int64 = 3
    static let sequenceBits: Int64 = 40
    /// `later.due` of an entry of a campaign that is paused: later than any time.
    static let paused = Int64.max
    /// No time of an entry is later, in UNIX milliseconds. Between it and ``paused`` is what waits for the rates of campaigns.
    static let latest: Int64 = 1_000_000_000_000_000
    /// `later.due` of an urgent entry that was never taken, and that no time delayed. It is taken behind those that were.
    static let urgent: Int64 = -1
    /// The bytes of a page in a new file; an existing file keeps its own size. SQLite writes each changed page twice,
    /// with a system call for each. Entries of 256 tokens cost 0.2 µs a token less than with SQLite's own 4 KiB.
    static let pageSize = 16_384
    /// How many calls of producers a queue remembers, and for how many milliseconds one counts as repeated.
    static let (calls, callTime): (Int64, Int64) = (10_000, 60_000)

    /// The values of an entry, each in a column of its name. The long ones come last: SQLite reads a row from its
    /// start.
    static let fields: [EntryField.Name] = [
        .id, .topic, .pushType, .priority, .expiration, .collapseID, .timeout, .waived, .notBefore, .deadline, .once,
        .campaign, .urgent, .headers, .payload, .tokens,
    ]

    /// The columns of these values, in their order.
    static let columns = fields.map(\.rawValue)
    /// Which of them has which place.
    static let places = Dictionary(uniqueKeysWithValues: zip(columns, Int32(0)...))

    static let tables = """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        -- One row for each name. `last`: the highest number of an entry. `entries`: how many there are, without dead
        -- ones. `calls`: how many calls have put entries in. `permitted`: UNIX nanoseconds, when all that was permitted
        -- would have been pushed at the rate. `max_outcomes`: how many outcomes each list keeps, if that was set.
        -- `paused`: 1 if nothing is pushed. `rate`, `burst`: tokens a second, and how many at once, if that was set.
        -- `debt`: the urgent tokens that were taken and that no ordinary one has paid for.
        CREATE TABLE queues (
            queue INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
            last INTEGER NOT NULL, taken_to INTEGER NOT NULL, entries INTEGER NOT NULL,
            calls INTEGER NOT NULL DEFAULT 0, permitted INTEGER NOT NULL DEFAULT 0, max_outcomes INTEGER,
            paused INTEGER NOT NULL DEFAULT 0, rate REAL, burst INTEGER, debt INTEGER NOT NULL DEFAULT 0);
        -- The latest calls that put entries in. `id`: that of the first entry. `time`: UNIX milliseconds.
        CREATE TABLE calls (
            queue INTEGER NOT NULL, slot INTEGER NOT NULL, id TEXT NOT NULL, time INTEGER NOT NULL,
            PRIMARY KEY (queue, slot)) WITHOUT ROWID;
        CREATE INDEX calls_id ON calls (queue, id);
        -- What is kept of each campaign, as a line of JSON. `hold`: why nothing of it is taken. `rate`: tokens a second, and how
        -- many at once. `aside`: `later.due` of what waits for that rate. `charged`: UNIX nanoseconds, when all that was taken
        -- would have been pushed at it.
        CREATE TABLE campaigns (
            queue INTEGER NOT NULL, name TEXT NOT NULL, record TEXT NOT NULL, hold TEXT, rate TEXT, aside INTEGER,
            charged INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (queue, name)) WITHOUT ROWID;
        CREATE INDEX campaigns_hold ON campaigns (queue, name, hold) WHERE hold IS NOT NULL;
        CREATE INDEX campaigns_rate ON campaigns (queue, name) WHERE rate IS NOT NULL;
        -- How many outcomes it has. `word`: such as `delivered` and `rejected:Unregistered`.
        CREATE TABLE campaign_outcomes (
            queue INTEGER NOT NULL, name TEXT NOT NULL, word TEXT NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (queue, name, word)) WITHOUT ROWID;
        -- `put`: UNIX milliseconds. `count`: how many tokens.
        CREATE TABLE entries (
            number INTEGER PRIMARY KEY, put INTEGER NOT NULL, count INTEGER NOT NULL,
            \(fields.map { "\($0.rawValue) TEXT" }.joined(separator: ", ")));
        -- `due`: UNIX milliseconds from which it may be taken; 0 if it was released, -1 if it is urgent and was never taken.
        -- What waits for a campaign has a number that is no time: the highest one while that is paused, or `campaigns.aside`.
        CREATE TABLE later (
            number INTEGER PRIMARY KEY, queue INTEGER NOT NULL, due INTEGER NOT NULL, count INTEGER NOT NULL,
            offered INTEGER NOT NULL, settled TEXT NOT NULL, doubts INTEGER NOT NULL, retries INTEGER NOT NULL,
            urgent INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX later_due ON later (queue, urgent, due);
        -- `offered`: what may have been sent before the worker took it; `offering`: what the worker has offered.
        CREATE TABLE taken (
            number INTEGER PRIMARY KEY, queue INTEGER NOT NULL, worker INTEGER NOT NULL, count INTEGER NOT NULL,
            offered INTEGER NOT NULL, offering INTEGER NOT NULL, settled TEXT NOT NULL, doubts INTEGER NOT NULL,
            retries INTEGER NOT NULL);
        CREATE TABLE dead (
            number INTEGER PRIMARY KEY, queue INTEGER NOT NULL, died INTEGER NOT NULL, reason TEXT NOT NULL,
            count INTEGER NOT NULL, settled TEXT NOT NULL);
        CREATE INDEX dead_died ON dead (queue, died);
        -- `beat`: UNIX milliseconds of the last heartbeat. `note`: why it takes nothing.
        CREATE TABLE workers (
            worker INTEGER PRIMARY KEY AUTOINCREMENT, queue INTEGER NOT NULL, name TEXT NOT NULL,
            counter INTEGER NOT NULL, beat INTEGER, note TEXT, UNIQUE (queue, name));
        -- `rows`: `count` lines of JSON. `stored`: UNIX milliseconds; null if an earlier program did.
        CREATE TABLE outcomes (
            number INTEGER PRIMARY KEY AUTOINCREMENT, queue INTEGER NOT NULL, list TEXT NOT NULL,
            count INTEGER NOT NULL, rows TEXT NOT NULL, stored INTEGER);
        CREATE INDEX outcomes_list ON outcomes (queue, list, number);
        -- `read_to`, `read_rows`: how far a reader came: the number in `outcomes`, and how many of its rows.
        -- `last`, `last_rows`: the end of the list in the same way. `cut`: how many were removed unread.
        CREATE TABLE lists (
            queue INTEGER NOT NULL, list TEXT NOT NULL, count INTEGER NOT NULL DEFAULT 0,
            cut INTEGER NOT NULL DEFAULT 0, read_to INTEGER NOT NULL DEFAULT 0, read_rows INTEGER NOT NULL DEFAULT 0,
            last INTEGER NOT NULL DEFAULT 0, last_rows INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (queue, list)) WITHOUT ROWID;
        """
}

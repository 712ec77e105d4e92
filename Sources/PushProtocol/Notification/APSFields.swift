/// The parts of the `aps` object, and how they are written.
struct APSFields {
    var title: String?
    var subtitle: String?
    var body: String?
    var badge: Int?
    var sound: String?
    var category: String?
    var threadID: String?
    var targetContentID: String?
    var contentAvailable: Bool
    var mutableContent: Bool

    private var hasAlert: Bool {
        title != nil || subtitle != nil || body != nil
    }

    /// `content-available` is all there is.
    var isBackgroundOnly: Bool {
        contentAvailable && !mutableContent && !hasAlert && badge == nil && sound == nil && category == nil
            && threadID == nil && targetContentID == nil
    }

    /// Enough for text without escapes, so that usually the bytes are allocated once.
    var estimatedBytes: Int {
        func size(_ text: String?) -> Int { text.map { $0.utf8.count + 24 } ?? 0 }
        return 64 + size(title) + size(subtitle) + size(body) + size(sound) + size(category) + size(threadID)
            + size(targetContentID)
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        if hasAlert {
            writer.name("alert")
            writer.beginObject()
            writer.member("title", title)
            writer.member("subtitle", subtitle)
            writer.member("body", body)
            writer.endObject()
        }
        writer.member("badge", badge)
        writer.member("sound", sound)
        writer.member("category", category)
        writer.member("thread-id", threadID)
        writer.member("target-content-id", targetContentID)
        writer.member("content-available", contentAvailable ? 1 : nil)
        writer.member("mutable-content", mutableContent ? 1 : nil)
        writer.endObject()
    }
}

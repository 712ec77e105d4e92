import SupervisedPush

extension Campaign {
    /// What all records get that have no payload of their own.
    ///
    /// A text may have placeholders, such as `{{name}}`, which the record's column or member of that name fills. Values are
    /// escaped. `\{{` stands for two braces that are meant. In JSON, a placeholder outside of quotes takes a number, true,
    /// false or null.
    public struct Content: Sendable {
        enum Source: Sendable {
            case notification(PushNotification)
            case json([UInt8], PushType?)
            case file(String, PushType?)
        }

        let source: Source

        /// A notification, whose texts and collapse id may have placeholders. Its headers are those of every push whose
        /// record has none.
        public static func notification(_ notification: PushNotification) -> Content {
            Content(source: .notification(notification))
        }

        /// A JSON object, which may have placeholders.
        ///
        /// - Parameters:
        ///   - text: The JSON.
        ///   - pushType: The type of the pushes; nil infers it from the payload.
        public static func json(_ text: String, pushType: PushType? = nil) -> Content {
            Content(source: .json(Array(text.utf8), pushType))
        }

        /// The JSON object of a file, at most 64 KiB, which may have placeholders.
        ///
        /// - Parameters:
        ///   - path: The path of the file.
        ///   - pushType: The type of the pushes; nil infers it from the payload.
        public static func file(_ path: String, pushType: PushType? = nil) -> Content {
            Content(source: .file(path, pushType))
        }
    }
}

import Glibc

/// The variables of the environment that are not empty.
enum EnvironmentVariable {
    static func value(_ name: String) -> String? {
        guard let text = getenv(name).map({ String(cString: $0) }), !text.isEmpty else { return nil }
        return text
    }
}

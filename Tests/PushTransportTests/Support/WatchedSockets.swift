import Foundation

/// What `/proc/self` tells of this process's epoll instances.
enum WatchedSockets {
    /// The sockets that an epoll instance of Dispatch watches itself: one that no other instance watches.
    static func byDispatch() -> Set<String> {
        let instances = watchedByInstance()
        let inner = Set(instances.values.joined())
        let outer = instances.filter { !inner.contains($0.key) }
        return Set(outer.values.joined().map(name).filter { $0.hasPrefix("socket:") })
    }

    private static func watchedByInstance() -> [Int: [Int]] {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        var watched: [Int: [Int]] = [:]
        for descriptor in descriptors.compactMap(Int.init) where name(descriptor) == "anon_inode:[eventpoll]" {
            let info = (try? String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)) ?? ""
            watched[descriptor] = info.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                return words.first == "tfd:" ? Int(words[1]) : nil
            }
        }
        return watched
    }

    private static func name(_ descriptor: Int) -> String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) ?? ""
    }
}

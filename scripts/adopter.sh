#!/usr/bin/env bash
# Builds and tests Examples/HummingbirdService as a user would have copied it: in a package outside of this one. The package also has a
# target called Locking, and a file that uses NIO's Channel, Logging and Metrics beside our import, so that no name of ours is in the way
# of another's. It also compiles the sample for Hummingbird of the article "In a service".
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bash "$root/scripts/setup.sh" --sqlite
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cp -R "$root/Examples/HummingbirdService/Sources" "$root/Examples/HummingbirdService/Tests" "$folder"
mkdir -p "$folder/Sources/Locking" "$folder/Sources/Neighbors"
cat >"$folder/Package.swift" <<SWIFT
// swift-tools-version: 6.3
import PackageDescription

func product(_ name: String, _ package: String) -> Target.Dependency { .product(name: name, package: package) }

let package = Package(
    name: "adopter",
    dependencies: [
        .package(name: "supervised-push", path: "$root"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "PushService",
            dependencies: [
                "Neighbors", product("SupervisedPush", "supervised-push"), product("Hummingbird", "hummingbird"),
                product("GRDB", "GRDB.swift"),
            ]),
        .testTarget(
            name: "PushServiceTests",
            dependencies: [
                "PushService", product("PushTesting", "supervised-push"), product("HummingbirdTesting", "hummingbird"),
            ]),
        .target(name: "Locking"),
        .target(
            name: "Neighbors",
            dependencies: [
                "Locking", product("SupervisedPush", "supervised-push"), product("Hummingbird", "hummingbird"),
                product("NIOCore", "swift-nio"), product("Logging", "swift-log"), product("Metrics", "swift-metrics"),
            ]),
    ]
)
SWIFT
echo 'public struct Locking { public init() {} }' >"$folder/Sources/Locking/Locking.swift"
cat >"$folder/Sources/Neighbors/Neighbors.swift" <<'SWIFT'
import Hummingbird
import Locking
import Logging
import Metrics
import NIOCore
import SupervisedPush

func neighbors(channel: any Channel, connection: PushConnection, logger: Logger) -> (any Channel, Counter, Locking) {
    logger.info("\(connection.status)")
    return (channel, Counter(label: "pushes"), Locking())
}
SWIFT
sed -n '/^```swift$/,/^```$/{/^```swift$/d;p;}' "$root/Sources/SupervisedPush/SupervisedPush.docc/InAService.md" |
    awk 'BEGIN { RS = "```\n" } /^import Hummingbird/' >"$folder/Sources/Neighbors/Article.swift"
grep -q '^func buildApplication' "$folder/Sources/Neighbors/Article.swift"

swift build --build-tests --package-path "$folder" --scratch-path "$root/.build-adopter"
swift test --skip-build --package-path "$folder" --scratch-path "$root/.build-adopter"
echo "a service outside of the package builds beside its neighbors, and its tests pass"

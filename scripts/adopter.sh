#!/usr/bin/env bash
# Builds and tests Examples/HummingbirdService as a user would have copied it: outside of this package, with its own manifest. It also gets a
# target called Locking, and a file that uses NIO's Channel, Logging and Metrics beside our import, so that no name of ours is in the way
# of another's. It also compiles the sample for Hummingbird of the article "In a service".
#
# Then it does the same with Examples/QueueService, and rehearses it: service and workers as programs, posted to with curl. PUSHCTL names a
# pushctl that is built already.
#
# Before, it looks at what a program resolves without and with our traits.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bash "$root/scripts/setup.sh"
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT

# resolved TRAITS: the packages that a program with SupervisedPush resolves, if its manifest has TRAITS in our line.
resolved() {
    mkdir -p "$top/Bare/Sources/Bare"
    echo 'import SupervisedPush' >"$top/Bare/Sources/Bare/main.swift"
    cat >"$top/Bare/Package.swift" <<SWIFT
// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "bare",
    dependencies: [.package(name: "supervised-push", path: "$root"$1)],
    targets: [
        .executableTarget(name: "Bare", dependencies: [.product(name: "SupervisedPush", package: "supervised-push")])
    ])
SWIFT
    swift package --package-path "$top/Bare" show-dependencies --format flatlist
}
guarded=(-e swift-argument-parser -e swift-configuration)
without=$(resolved ', traits: []')
if grep -x "${guarded[@]}" <<<"$without"; then
    echo "adopter: a program with traits: [] resolves the above; in Package.swift every use of it must have a condition" >&2
    exit 1
fi
with=$(resolved '')
if (($(grep -cx "${guarded[@]}" <<<"$with") != 2)); then
    printf 'adopter: with the default traits, a program must resolve both, not only:\n%s\n' "$with" >&2
    exit 1
fi

folder=$top/HummingbirdService
mkdir "$folder"

cp -R "$root"/Examples/HummingbirdService/{Package.swift,Sources,Tests} "$folder"
mkdir -p "$folder/Sources/Locking" "$folder/Sources/Neighbors"
# The example's own manifest, with this folder instead of the release, and with its neighbors.
grep -q 'path: "\.\./\.\."' "$folder/Package.swift"
sed -i "s|path: \"\.\./\.\.\"|path: \"$root\"|" "$folder/Package.swift"
cat >>"$folder/Package.swift" <<'SWIFT'

package.dependencies += [
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
]
package.targets[0].dependencies.append("Neighbors")
package.targets += [
    .target(name: "Locking"),
    .target(
        name: "Neighbors",
        dependencies: [
            "Locking",
            .product(name: "PushServiceLifecycle", package: "supervised-push"),
            .product(name: "SupervisedPush", package: "supervised-push"),
            .product(name: "Hummingbird", package: "hummingbird"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "Metrics", package: "swift-metrics"),
        ]),
]
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

swift build --build-tests --package-path "$folder" --scratch-path "$root/.build-outside"
swift test --skip-build --package-path "$folder" --scratch-path "$root/.build-outside"

folder=$top/QueueService
mkdir "$folder"
cp -R "$root"/Examples/QueueService/{Package.swift,Sources,Tests,rehearse.sh} "$folder"
grep -q 'path: "\.\./\.\."' "$folder/Package.swift"
sed -i "s|path: \"\.\./\.\.\"|path: \"$root\"|" "$folder/Package.swift"
# The same scratch folder: what both need is built once.
swift build --build-tests --package-path "$folder" --scratch-path "$root/.build-outside"
swift test --skip-build --package-path "$folder" --scratch-path "$root/.build-outside"
if [[ -z ${PUSHCTL:-} ]]; then
    swift build --package-path "$root" --product pushctl
    PUSHCTL=$(swift build --package-path "$root" --show-bin-path)/pushctl
fi
mkdir "$top/bin"
ln -s "$(cd "$(dirname "$PUSHCTL")" && pwd)/$(basename "$PUSHCTL")" "$top/bin/pushctl"
BIN=$(swift build --package-path "$folder" --scratch-path "$root/.build-outside" --show-bin-path) PATH=$top/bin:$PATH \
    bash "$folder/rehearse.sh"
echo "a service outside of the package builds beside its neighbors, its tests pass, and one with a queue loses nothing"

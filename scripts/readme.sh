#!/usr/bin/env bash
# Compiles the Swift of the README, and of the pages about push types, in a package of its own, outside of this one, with the one
# import that it shows.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder/Sources/Reader"
cat >"$folder/Package.swift" <<SWIFT
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "reader",
    dependencies: [.package(name: "supervised-push", path: "$root")],
    targets: [
        .executableTarget(
            name: "Reader", dependencies: [.product(name: "SupervisedPush", package: "supervised-push")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
SWIFT

# The reader has a device token and, of course, an async main.
{
    sed -n '/^```swift$/,/^```$/{/^```/d;p;}' "$root/README.md" | grep '^import '
    echo 'let token = try DeviceToken(String(repeating: "ab", count: 32))'
    sed -n '/^```swift$/,/^```$/{/^```/d;p;}' "$root/README.md" | grep -v '^import '
} >"$folder/Sources/Reader/main.swift"

# The pages have a runtime and a device token and Foundation, for dates; what they name, they use.
for page in "$root"/docs/push-types/*.md "$root"/docs/broadcast.md; do
    [[ -f $page ]] || continue
    code=$(sed -n '/^```swift$/,/^```$/{/^```/d;p;}' "$page")
    [[ -n $code ]] || continue
    name=$(basename "$page" .md | tr -c '[:alnum:]\n' _)
    {
        echo 'import Foundation'
        echo 'import SupervisedPush'
        echo "func page_$name(runtime: PushRuntime, config: ConnectionConfig, token: DeviceToken) async throws {"
        echo "$code"
        sed -nE 's/^(let|var) ([a-zA-Z]+) .*/_ = \2/p' <<<"$code"
        echo '}'
    } >"$folder/Sources/Reader/page_$name.swift"
done

swift build --package-path "$folder" --scratch-path "$root/.build-readme" -Xswiftc -warnings-as-errors
echo "the Swift of the README and of the pages compiles with one import"

#!/usr/bin/env bash
# Compiles the README's Swift in a package of its own, outside of this one, with the one import that it shows.
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

swift build --package-path "$folder" --scratch-path "$root/.build-readme" -Xswiftc -warnings-as-errors
echo "the README's Swift compiles with one import"

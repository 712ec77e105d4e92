#!/usr/bin/env bash
# Compiles the Swift samples of the documents, in a package of its own: the README's first sample as it stands, with the manifest that the
# README prints, and every other sample in a function or a type of its own. What a sample names and does not declare is in
# scripts/samples/Reader.swift. Three kinds are compiled elsewhere: the article "Testing with the simulator" by its tests (ArticleTests), what
# needs Hummingbird by scripts/adopter.sh, and that of the inbox, which needs its trait, by PushServerTests.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# blocks FILE: the Swift samples of a page, each ended by a line ``` of its own.
blocks() { sed -n '/^```swift$/,/^```$/{/^```swift$/d;p;}' "$1"; }

# The README's own package: its manifest, with this folder instead of the release, and its first sample.
mkdir -p "$folder/App/Sources/App"
# "Getting started" begins with a command. What it makes must not be in the sample's way.
init=$(grep -o 'swift package init[^`]*' "$root/Sources/SupervisedPush/SupervisedPush.docc/GettingStarted.md")
(cd "$folder/App" && $init >/dev/null && [[ -z $(find . -name '*.swift' ! -name Package.swift) ]])
blocks "$root/README.md" | sed '/^```$/,$d' >"$folder/App/Package.swift"
blocks "$root/README.md" | sed '1,/^```$/d' | sed '/^```$/,$d' >"$folder/App/Sources/App/main.swift"
grep -q 'swift-tools-version' "$folder/App/Package.swift"
grep -q '^import PushTesting$' "$folder/App/Sources/App/main.swift"
release='\.package(url: "https://github.com/supervised-push/supervised-push", branch: "main")'
grep -q "$release" "$folder/App/Package.swift"
sed -i "s|$release|.package(name: \"supervised-push\", path: \"$root\")|" "$folder/App/Package.swift"

# All other samples: one package, whose target takes the README's first sample as well, so that only one package is built.
mkdir -p "$folder/Sources/Samples" "$folder/Sources/App" "$folder/Tests/SampleTests"
cp "$folder/App/Sources/App/main.swift" "$folder/Sources/App/"
cp "$root/scripts/samples/Reader.swift" "$folder/Sources/Samples/"
swift package --package-path "$folder/App" dump-package >/dev/null # the manifest is valid
cat >"$folder/Package.swift" <<SWIFT
// swift-tools-version: 6.3
import PackageDescription

func own(_ names: String...) -> [Target.Dependency] {
    names.map { name in .product(name: name, package: "supervised-push") }
}

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
    name: "samples",
    dependencies: [
        .package(name: "supervised-push", path: "$root"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.0.0"),
    ],
    targets: [
        .executableTarget(name: "App", dependencies: own("SupervisedPush", "PushTesting"), swiftSettings: strict),
        .target(
            name: "Samples",
            dependencies: own(
                "SupervisedPush", "PushCampaign", "PushConfiguration", "PushServiceLifecycle", "PushQueue", "PushQueueRedis", "PushQueueSQLite", "PushQueueServiceLifecycle", "PushTesting", "PushSimulator",
                "ProcessRuntime"
            ) + [
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(name: "SampleTests", dependencies: own("PushQueue", "PushQueueTesting", "PushTesting", "PushTestingTraits"), swiftSettings: strict),
    ]
)
SWIFT

# keep PAGE NUMBER CODE BEFORE: writes one sample where it compiles. A test may use the types that the sample before it declares.
keep() {
    local name=${1#"$root"/} code=$3 before=${4:-}
    name=${name%.md}_$2
    name=${name//[^[:alnum:]]/_}
    local imports body
    imports=$(grep '^import ' <<<"$code" | sort -u || true)
    body=$(grep -v '^import ' <<<"$code" || true)
    case $code in
    '// swift-tools-version'*) return ;; # a manifest: the README's is checked above
    *'import Hummingbird'*) return ;; # scripts/adopter.sh
    *'import Vapor'*) return ;; # the page says that it is not compiled
    *@Test*)
        body=$(sed -n '/^struct .* {$/,/^}$/p' <<<"$before" | sed '/: Service {$/,/^}$/d')$body
        printf '%s\nstruct %s {\n%s\n}\n' "$imports" "$name" "$body" >"$folder/Tests/SampleTests/$name.swift"
        ;;
    *)
        {
            printf 'import SupervisedPush\n%s\n' "$imports" | sort -u
            echo "func $name("
            echo '    runtime: PushRuntime, orders: PushConnection, config: inout PushConnection.Configuration, token: DeviceToken'
            echo ') async throws {'
            printf '%s\n' "$body"
            sed -nE 's/^(let|var) ([a-zA-Z]+)[ :=].*/_ = \2/p' <<<"$body"
            echo '}'
        } >"$folder/Sources/Samples/$name.swift"
        ;;
    esac
    count=$((count + 1))
}
count=0

# Articles: each sample is on its own.
for page in "$root/README.md" "$root"/docs/{tasks,simulator-script,queue}.md "$root"/Sources/*/*.docc/*.md; do
    [[ $page != */TestingWithTheSimulator.md && $page != */PushServer.md ]] || continue
    code='' before='' number=0
    while IFS= read -r line; do
        if [[ $line != '```' ]]; then
            code+=$line$'\n'
            continue
        fi
        number=$((number + 1))
        # The README's first sample is a program, and is compiled as one.
        [[ $page == */README.md && $number == 2 ]] || keep "$page" "$number" "$code" "$before"
        before=$code code=
    done < <(blocks "$page")
done

# Pages about push types and broadcasts: the samples under one heading follow from one another.
for page in "$root"/docs/push-types/*.md "$root"/docs/broadcast.md; do
    while IFS= read -r heading; do
        code=$(blocks <(sed -n "/^## $heading\$/,/^## /p" "$page") | grep -vx '```' || true)
        [[ -z $code ]] || keep "$page" "${heading//[^[:alnum:]]/_}" "$code"
    done < <(sed -n 's/^## //p' "$page")
done

# The same scratch folder as in scripts/adopter.sh, and so the same flags: what both need is built once.
swift build --package-path "$folder" --scratch-path "$root/.build-outside" --build-tests
swift test --package-path "$folder" --scratch-path "$root/.build-outside" --skip-build
echo "the README's program and $count samples compile, and their tests pass"

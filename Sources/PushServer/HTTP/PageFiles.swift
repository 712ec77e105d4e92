#if Server
    extension PageFile {
        private static let html = "text/html; charset=utf-8"
        private static let css = "text/css; charset=utf-8"
        private static let javaScript = "text/javascript; charset=utf-8"
        private static let svg = "image/svg+xml"

        /// The files of the page, which are those of the folder `Page`: its names come from SwiftPM, a line for each.
        static let all: [PageFile] =
            [
                PageFile(path: "/", type: html, bytes: PackageResources.index_html),
                PageFile(path: "/login", type: html, bytes: PackageResources.login_html),
                PageFile(path: "/icon.svg", type: svg, bytes: PackageResources.icon_svg),
            ] + styles + modules

        private static let styles: [PageFile] = [
            PageFile(path: "/base.css", type: css, bytes: PackageResources.base_css),
            PageFile(path: "/detail.css", type: css, bytes: PackageResources.detail_css),
            PageFile(path: "/frame.css", type: css, bytes: PackageResources.frame_css),
            PageFile(path: "/list.css", type: css, bytes: PackageResources.list_css),
            PageFile(path: "/login.css", type: css, bytes: PackageResources.login_css),
            PageFile(path: "/panels.css", type: css, bytes: PackageResources.panels_css),
            PageFile(path: "/screen.css", type: css, bytes: PackageResources.screen_css),
        ]

        private static let modules: [PageFile] = [
            PageFile(path: "/activity.js", type: javaScript, bytes: PackageResources.activity_js),
            PageFile(path: "/api.js", type: javaScript, bytes: PackageResources.api_js),
            PageFile(path: "/app.js", type: javaScript, bytes: PackageResources.app_js),
            PageFile(path: "/choice.js", type: javaScript, bytes: PackageResources.choice_js),
            PageFile(path: "/connections.js", type: javaScript, bytes: PackageResources.connections_js),
            PageFile(path: "/copies.js", type: javaScript, bytes: PackageResources.copies_js),
            PageFile(path: "/copy.js", type: javaScript, bytes: PackageResources.copy_js),
            PageFile(path: "/detail.js", type: javaScript, bytes: PackageResources.detail_js),
            PageFile(path: "/device.js", type: javaScript, bytes: PackageResources.device_js),
            PageFile(path: "/devices.js", type: javaScript, bytes: PackageResources.devices_js),
            PageFile(path: "/dialogs.js", type: javaScript, bytes: PackageResources.dialogs_js),
            PageFile(path: "/dom.js", type: javaScript, bytes: PackageResources.dom_js),
            PageFile(path: "/facts.js", type: javaScript, bytes: PackageResources.facts_js),
            PageFile(path: "/faults.js", type: javaScript, bytes: PackageResources.faults_js),
            PageFile(path: "/feed.js", type: javaScript, bytes: PackageResources.feed_js),
            PageFile(path: "/filter.js", type: javaScript, bytes: PackageResources.filter_js),
            PageFile(path: "/json.js", type: javaScript, bytes: PackageResources.json_js),
            PageFile(path: "/keyboard.js", type: javaScript, bytes: PackageResources.keyboard_js),
            PageFile(path: "/list.js", type: javaScript, bytes: PackageResources.list_js),
            PageFile(path: "/live.js", type: javaScript, bytes: PackageResources.live_js),
            PageFile(path: "/lockscreen.js", type: javaScript, bytes: PackageResources.lockscreen_js),
            PageFile(path: "/login.js", type: javaScript, bytes: PackageResources.login_js),
            PageFile(path: "/member.js", type: javaScript, bytes: PackageResources.member_js),
            PageFile(path: "/morph.js", type: javaScript, bytes: PackageResources.morph_js),
            PageFile(path: "/payload.js", type: javaScript, bytes: PackageResources.payload_js),
            PageFile(path: "/preview.js", type: javaScript, bytes: PackageResources.preview_js),
            PageFile(path: "/reasons.js", type: javaScript, bytes: PackageResources.reasons_js),
            PageFile(path: "/router.js", type: javaScript, bytes: PackageResources.router_js),
            PageFile(path: "/search.js", type: javaScript, bytes: PackageResources.search_js),
            PageFile(path: "/stream.js", type: javaScript, bytes: PackageResources.stream_js),
            PageFile(path: "/switchcard.js", type: javaScript, bytes: PackageResources.switchcard_js),
            PageFile(path: "/switches.js", type: javaScript, bytes: PackageResources.switches_js),
            PageFile(path: "/text.js", type: javaScript, bytes: PackageResources.text_js),
            PageFile(path: "/theme.js", type: javaScript, bytes: PackageResources.theme_js),
            PageFile(path: "/time.js", type: javaScript, bytes: PackageResources.time_js),
            PageFile(path: "/tree.js", type: javaScript, bytes: PackageResources.tree_js),
            PageFile(path: "/types.js", type: javaScript, bytes: PackageResources.types_js),
            PageFile(path: "/view.js", type: javaScript, bytes: PackageResources.view_js),
            PageFile(path: "/welcome.js", type: javaScript, bytes: PackageResources.welcome_js),
        ]
    }
#endif

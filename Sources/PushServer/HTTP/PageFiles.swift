#if Server
    extension PageFile {
        private static let html = "text/html; charset=utf-8"

        /// The files of the page and the documents of the API.
        static let all: [PageFile] = [
            PageFile(path: "/", type: html, bytes: PackageResources.index_html)
        ]
    }
#endif

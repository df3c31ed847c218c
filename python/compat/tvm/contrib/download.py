"""Downloads: none are made."""


def download(url, path, *_, **__):
    raise NotImplementedError(f"{url}: relayopt downloads nothing")


download_testdata = download

#!/usr/bin/env python3
"""Packs the extension for VS Code: pack_vscode.py ROOT OUTPUT.vsix

A .vsix is a ZIP archive with the extension in a folder, a manifest, and the types of its files.
"""
import json
import os
import sys
import zipfile

MANIFEST = '''<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/>
    <DisplayName>{displayName}</DisplayName>
    <Description xml:space="preserve">{description}</Description>
    <Categories>{category}</Categories>
    <Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="{engine}"/></Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/></Assets>
</PackageManifest>
'''
TYPES = '''<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
'''


def main():
    root, output = sys.argv[1:]
    folder = os.path.join(root, "tools", "editors", "vscode")
    with open(os.path.join(folder, "package.json"), encoding="utf-8") as file:
        package = json.load(file)
    manifest = MANIFEST.format(**{key: package[key] for key in ("name", "version", "publisher", "displayName", "description")},
                               category=package["categories"][0], engine=package["engines"]["vscode"])
    files = {name: os.path.join(folder, name) for name in sorted(os.listdir(folder))}
    files["relay.tmLanguage.json"] = os.path.join(root, "tools", "share", "textmate", "relay.tmLanguage.json")
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("extension.vsixmanifest", manifest)
        archive.writestr("[Content_Types].xml", TYPES)
        for name, path in files.items():
            archive.write(path, "extension/" + name)


if __name__ == "__main__":
    main()

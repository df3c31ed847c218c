-- Neovim 0.11 or newer: copy to ~/.config/nvim/lsp/relayopt.lua and call vim.lsp.enable("relayopt").
vim.filetype.add({ extension = { relay = "relay", rly = "relay" } })

return {
  cmd = { "relayopt-lsp", "--stdio" },
  filetypes = { "relay" },
  root_markers = { ".git" },
}

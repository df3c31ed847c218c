-- Neovim 0.11 or newer: copy to ~/.config/nvim/lsp/relayopt.lua and call vim.lsp.enable("relayopt").
vim.filetype.add({ extension = { relay = "relay", rly = "relay" } })

return {
  cmd = { "relayopt-lsp", "--stdio" },
  filetypes = { "relay" },
  root_markers = { ".git" },
  commands = {
    -- The command of the code actions: shows the text and what the pipeline makes of it side by side.
    ["relayopt.runPipeline"] = function(command, context)
      local client = vim.lsp.get_client_by_id(context.client_id)
      local params = { command = command.command, arguments = command.arguments }
      client:request("workspace/executeCommand", params, function(problem, result)
        if problem then
          vim.notify("relayopt: " .. problem.message, vim.log.levels.ERROR)
          return
        end
        local filetype = vim.bo[context.bufnr].filetype
        vim.cmd("tabnew")
        vim.api.nvim_win_set_buf(0, context.bufnr)
        vim.cmd("diffthis | rightbelow vnew")
        vim.bo.buftype = "nofile"
        vim.bo.filetype = filetype
        vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(vim.trim(result.text), "\n"))
        vim.cmd("diffthis")
      end, context.bufnr)
    end,
  },
}

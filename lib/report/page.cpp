// The page that shows a report: the viewer's files with the data inside.
#include "relayopt/report/report.h"
#include "report_viewer.h"

namespace relayopt {

namespace {

// JSON inside of a script element must not end it.
auto WithoutTags(std::string_view json) -> std::string {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

void ReplaceMark(std::string& page, std::string_view mark, std::string_view text) {
  if (const size_t at = page.find(mark); at != std::string::npos) page.replace(at, mark.size(), text);
}

}  // namespace

auto ReportPage(std::string_view json) -> std::string {
  std::string page(kViewerPage);
  ReplaceMark(page, "/*STYLE*/", kViewerStyle);
  ReplaceMark(page, "/*SCRIPT*/", kViewerScript);
  ReplaceMark(page, "/*DATA*/", WithoutTags(json));
  return page;
}

}  // namespace relayopt

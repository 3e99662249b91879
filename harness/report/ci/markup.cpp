#include "report/ci/markup.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/words/text.h"

namespace parity::report {
namespace {

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

bool stays_in_link(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || (c >= '0' && c <= '9') ||
         std::string_view("-_.!~*'()").find(c) != std::string_view::npos;
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string result;
  for (const char c : clean(text)) {
    const std::string_view escaped = entity(c);
    if (escaped.empty()) {
      result += c;
    } else {
      result += escaped;
    }
  }
  return result;
}

std::string percent_encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += stays_in_link(c) ? std::string(1, c)
                               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

Markup& Markup::open(std::string_view tag, const Attributes& attributes) {
  text_.append("<").append(tag);
  for (const auto& [name, value] : attributes) {
    if (value.empty()) continue;
    text_.append(" ").append(name).append("=\"").append(html_escaped(value)).append("\"");
  }
  text_ += ">";
  open_.emplace_back(tag);
  return *this;
}

Markup& Markup::close() {
  const std::string& tag = open_.back();
  const bool is_inline = tag == "a" || tag == "b" || tag == "code" || tag == "span";
  text_.append("</").append(tag).append(is_inline ? ">" : ">\n");
  open_.pop_back();
  return *this;
}

Markup& Markup::text(std::string_view text) {
  text_ += html_escaped(text);
  return *this;
}

Markup& Markup::sentence(std::string_view text) {
  for (;;) {
    const std::size_t start = text.find(" --");
    if (start == std::string_view::npos) return this->text(text);
    const std::size_t begin = start + 1;
    const std::size_t end = std::min(text.find_first_of(" ,;:)", begin), text.size());
    this->text(text.substr(0, begin));
    open("span", {{"class", "flag"}}).text(text.substr(begin, end - begin)).close();
    text.remove_prefix(end);
  }
}

Markup& Markup::name(std::string_view text) {
  open("code");
  for (const char c : html_escaped(text)) {
    text_ += c;
    if (c == '.' || c == '/') text_ += "<wbr>";
  }
  return close();
}

Markup& Markup::element(std::string_view tag, std::string_view text, const Attributes& attributes) {
  return open(tag, attributes).text(text).close();
}

}  // namespace parity::report

// The text on a terminal after everything was written to it: knows carriage returns, lines that wrap, and lines that
// are erased.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::test {

class Screen {
 public:
  explicit Screen(std::size_t columns) : columns_(columns) {}

  void write(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\r') {
        column_ = 0;
      } else if (c == '\n') {
        column_ = 0;
        if (++line_ == lines_.size()) lines_.emplace_back();
      } else if (text.substr(i).starts_with("\033[K")) {
        lines_[line_].resize(column_);
        i += 2;
      } else if (text.substr(i).starts_with("\033[")) {
        i = text.find('m', i);  // a colour takes no room
      } else {
        const bool goes_on = (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
        goes_on ? void(lines_[line_][column_ - 1] += c) : put(std::string(1, c));
      }
    }
  }

  // The lines, without the empty ones at the end. Each UTF-8 character takes one column.
  std::vector<std::string> lines() const {
    std::vector<std::string> texts;
    for (const auto& line : lines_) {
      std::string text;
      for (const std::string& character : line) text += character;
      texts.push_back(text);
    }
    while (!texts.empty() && texts.back().empty()) texts.pop_back();
    return texts;
  }

 private:
  void put(const std::string& character) {
    if (column_ == columns_) write("\n");
    auto& line = lines_[line_];
    if (line.size() <= column_) line.resize(column_ + 1, " ");
    line[column_++] = character;
  }

  std::size_t columns_;
  std::size_t line_ = 0;
  std::size_t column_ = 0;
  std::vector<std::vector<std::string>> lines_{{}};
};

}  // namespace loadline::test

#include "tests/simulator/answer.h"

#include "agent/json.h"
#include "tests/simulator/text.h"

namespace tmc::sim {
namespace {

std::string EscapeXml(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

void AppendXml(std::string& out, std::string_view name, json::Node node) {
  if (node.IsArray()) {  // <list><item/><item/></list>: the array itself has no element
    for (size_t i = 0; i < node.Size(); ++i) AppendXml(out, name, node.At(i));
    return;
  }
  out.append("<").append(name).append(">");
  for (size_t i = 0; node.IsObject() && i < node.Size(); ++i) AppendXml(out, node.KeyAt(i), node.MemberAt(i));
  if (const auto text = node.Text())
    out += EscapeXml(*text);
  else if (const auto flag = node.Bool())
    out += *flag ? "true" : "false";
  out.append("</").append(name).append(">");
}

}  // namespace

std::string WrapList(const std::vector<std::string_view>& items, std::string_view item_name,
                     const Style& style) {
  size_t size = item_name.size() + 8;
  for (std::string_view item : items) size += item.size() + 1;
  std::string out;
  out.reserve(size);
  const bool bare = style.bare_single && items.size() == 1;
  if (!style.simplify) out.append("{\"").append(item_name).append("\":");
  if (!bare) out += '[';
  for (size_t i = 0; i < items.size(); ++i) out.append(i > 0 ? "," : "").append(items[i]);
  if (!bare) out += ']';
  if (!style.simplify) out += '}';
  return out;
}

std::string WrapObject(Members members, const Style& style, Chance& chance) {
  if (style.unknown_fields) members.emplace_back("x_unheard_of", R"({"list":[1,null,"x"]})");
  if (style.shuffle) chance.Shuffle(members.begin(), members.end());
  size_t size = 2;
  for (const auto& [name, raw] : members) size += name.size() + raw.size() + 4;
  std::string out;
  out.reserve(size);
  for (const auto& [name, raw] : members)
    out.append(out.empty() ? "{\"" : ",\"").append(name).append("\":").append(raw);
  return out.append(members.empty() ? "{}" : "}");
}

std::string AnswerKey(std::string_view api) {
  if (api.starts_with("taobao.")) api.remove_prefix(7);
  return Replace(std::string(api), ".", "_") + "_response";
}

std::string WrapAnswer(std::string_view api, Members members, const Style& style, std::string_view request_id,
                       Chance& chance) {
  members.emplace_back("request_id", Quote(request_id));
  std::string inner = WrapObject(std::move(members), style, chance);
  if (style.simplify) return inner;
  return "{\"" + AnswerKey(api) + "\":" + inner + "}";
}

std::string WrapError(const ApiError& error, std::string_view request_id) {
  json::Writer out;
  out.BeginObject().Key("error_response").BeginObject();
  out.Member("code", error.code).Member("msg", error.msg);
  if (!error.sub_code.empty()) out.Member("sub_code", error.sub_code);
  if (!error.sub_msg.empty()) out.Member("sub_msg", error.sub_msg);
  out.Member("request_id", request_id).EndObject().EndObject();
  return out.Take();
}

std::string ToXml(std::string_view json_text) {
  std::string out = R"(<?xml version="1.0" encoding="utf-8" ?>)";
  json::Document document;
  if (document.Parse(json_text)) return out;
  for (size_t i = 0; i < document.root().Size(); ++i)
    AppendXml(out, document.root().KeyAt(i), document.root().MemberAt(i));
  return out + "<!--simulator-->";
}

}  // namespace tmc::sim

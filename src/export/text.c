/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rarer half of text formatting: what takes a loop over bytes. The numbers,
 * needed several times a line, are inline in the header.
 *
 * Texts come out of traces and program files, so they are hostile: nothing
 * printed from them may move a terminal's cursor or begin a new line.
 */
#include "export/text.h"

const char text_pairs[200] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243"
	"4445464748495051525354555657585960616263646566676869707172737475767778798081828384858687"
	"888990919293949596979899";

size_t text_utf8(const char *text, size_t n)
{
	const uint8_t *s = (const uint8_t *)text;
	if (n == 0)
		return 0;
	if (s[0] < 0x80)
		return 1;
	size_t len = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
	             : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
	             : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
	                                           : 0;
	if (len == 0 || len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, beyond the last character. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

size_t text_printable(const char *text, size_t n)
{
	const uint8_t *s = (const uint8_t *)text;
	size_t len = text_utf8(text, n);
	if (len == 1)
		return s[0] >= 0x20 && s[0] != 0x7f;
	/* U+0080 to U+009F are control characters too. */
	if (len == 2 && s[0] == 0xc2 && s[1] < 0xa0)
		return 0;
	/* Marks that turn the direction of what follows, and ends of lines and paragraphs: U+061C,
	 * U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069; and U+FFFE, U+FFFF. */
	if (len == 2 && s[0] == 0xd8 && s[1] == 0x9c)
		return 0;
	if (len == 3 && s[0] == 0xe2 && s[1] == 0x80)
		return s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae) ? 0 : len;
	if (len == 3 && s[0] == 0xe2 && s[1] == 0x81)
		return s[2] >= 0xa6 && s[2] <= 0xa9 ? 0 : len;
	return len == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe ? 0 : len;
}

char *text_escape(char *p, const char *text, size_t n, bool quote)
{
	for (size_t i = 0; i < n;) {
		unsigned char ch = (unsigned char)text[i];
		size_t len = text_printable(text + i, n - i);
		if (ch == '\\' || (quote && ch == '"')) {
			*p++ = '\\';
			*p++ = (char)ch;
			i++;
		} else if (ch == '\n' || ch == '\t') {
			*p++ = '\\';
			*p++ = ch == '\n' ? 'n' : 't';
			i++;
		} else if (len == 0) {
			*p++ = '\\';
			*p++ = 'x';
			text_hex4(p, (uint32_t)ch << 8);
			p += 2;
			i++;
		} else {
			p = text_put(p, text + i, len);
			i += len;
		}
	}
	return p;
}

char *text_bytes(char *p, const uint8_t *bytes, size_t n)
{
	size_t i = 0;
	for (; i + 8 <= n; i += 8)
		p = text_hex16(p, __builtin_bswap64(base_le64(bytes + i)));
	for (; i < n; i++)
		p = text_hex(p, bytes[i], 2);
	return p;
}

char *text_wide(char *p, const uint8_t *bytes, size_t n)
{
	for (; n & 7; n--)
		p = text_hex(p, bytes[n - 1], 2);
	for (; n; n -= 8)
		p = text_hex16(p, base_le64(bytes + n - 8));
	return p;
}

int text_xml(struct base_buf *buf, const char *text, size_t most)
{
	size_t n = strlen(text), cut = n > most ? most : n;
	char *p = text_open(buf, 8 * cut + 8);
	if (!p)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < cut;) {
		size_t len = text_printable(text + i, n - i);
		unsigned char ch = (unsigned char)text[i];
		if (ch == '&')
			p = TEXT_LIT(p, "&amp;");
		else if (ch == '<')
			p = TEXT_LIT(p, "&lt;");
		else if (ch == '>')
			p = TEXT_LIT(p, "&gt;");
		else if (ch == '"')
			p = TEXT_LIT(p, "&quot;");
		else if (ch == '\'')
			p = TEXT_LIT(p, "&#39;");
		else if (len == 0)
			*p++ = '?';
		else
			p = text_put(p, text + i, len);
		i += len ? len : 1; /* of what does not print, each byte */
	}
	if (cut < n)
		p = TEXT_LIT(p, "..");
	text_close(buf, p);
	return 0;
}

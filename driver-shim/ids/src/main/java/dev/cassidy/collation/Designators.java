package dev.cassidy.collation;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the first part of a collation's name says: the language. Of a language it matters here which letters are its own. A letter
 * of its own is no variant of another one where accents are ignored, and is not expanded.
 */
final class Designators {

    /** Of which collations of a language it is known what they take for equal. */
    enum Known {
        ALL,

        /** Those that tell accents apart. */
        WITH_ACCENTS,

        /** The binary ones. */
        BINARY
    }

    record Designator(String own, boolean turkish, Known known) {}

    /** In the table of all languages too. */
    private static final String CYRILLIC = "ЇЙйїӚӛӸӹ";

    private static final String TURKISH_LETTERS = "ÇçĞğİıÖöŞşÜü";

    private static final Pattern SQL = Pattern.compile("SQL_\\w+_CP[0-9]{1,4}", Pattern.CASE_INSENSITIVE);

    private static final Map<String, Designator> KNOWN = new HashMap<>();

    static {
        for (String name : List.of(
                "Latin1_General",
                "French",
                "Greek",
                "Cyrillic_General",
                "Ukrainian",
                "Arabic",
                "Hebrew",
                "Thai",
                "Japanese",
                "Japanese_Unicode",
                "Japanese_XJIS",
                "Japanese_Bushu_Kakusu",
                "Chinese_PRC",
                "Chinese_PRC_Stroke",
                "Chinese_Taiwan_Stroke",
                "Chinese_Taiwan_Bopomofo",
                "Chinese_Hong_Kong_Stroke",
                "Chinese_Simplified_Pinyin",
                "Chinese_Simplified_Stroke_Order",
                "Chinese_Traditional_Pinyin",
                "Chinese_Traditional_Bopomofo",
                "Chinese_Traditional_Stroke_Count",
                "Chinese_Traditional_Stroke_Order",
                "Korean_Wansung",
                "Korean")) {
            add(name, "", Known.ALL);
        }
        // They have LCID 1033, so that NCHAR and NVARCHAR are compared as by Latin1_General.
        for (String name : List.of(
                "SQL_Latin1_General_CP1",
                "SQL_Latin1_General_Pref_CP1",
                "SQL_Latin1_General_CP437",
                "SQL_Latin1_General_Pref_CP437",
                "SQL_Latin1_General_CP850",
                "SQL_Latin1_General_Pref_CP850",
                "SQL_1xCompat_CP850",
                "SQL_AltDiction_CP850",
                "SQL_AltDiction_Pref_CP850")) {
            add(name, "", Known.ALL);
        }
        add("Modern_Spanish", "Ññ", Known.ALL);
        add("Traditional_Spanish", "Ññ", Known.ALL);
        add("Polish", "ĄąĆćĘęŁłŃńÓóŚśŹźŻż", Known.ALL);
        add("Czech", "ČčŘřŠšŽž", Known.ALL);
        add("Slovak", "ÄäČčÔôŘřŠšŽž", Known.ALL);
        add("Slovenian", "ĆćČčĐđŚśŠšŹźŽž", Known.ALL);
        add("Turkish", TURKISH_LETTERS, Known.ALL);
        add("Azeri_Latin", TURKISH_LETTERS, Known.ALL);
        // These have equal letters of their own where accents are ignored: ü and y in Swedish, aa and å in Danish.
        add("Finnish_Swedish", "ÄäÅåÖöØøÜü", Known.WITH_ACCENTS);
        add("Danish_Norwegian", "ÄäÅåÆæÖöØøÜüǢǣ", Known.WITH_ACCENTS);
        add("Norwegian", "ÄäÅåÆæÖöØøÜüǢǣ", Known.WITH_ACCENTS);
        add("Icelandic", "ÁáÉéÍíÐðÓóÖöØøÚúÝýÆæÞþǢǣ", Known.WITH_ACCENTS);
        add("Estonian", "ÄäÕõÖöÜüŠšŽž", Known.WITH_ACCENTS);
        add("Latvian", "ČčĢģĶķĻļŅņŖŗŠšŽž", Known.WITH_ACCENTS);
        add("Lithuanian", "ČčŠšŽž", Known.WITH_ACCENTS);
        add("Vietnamese", "ÂâÊêÔôĂăĐđƠơƯưÞþ", Known.WITH_ACCENTS);
        // These have equal pairs of letters, or letters that count as one: ä and æ in a German phone book, ccs and
        // cscs in Hungarian.
        for (String name : List.of(
                "Albanian",
                "Assamese",
                "Azeri_Cyrillic",
                "Bashkir",
                "Bengali",
                "Bosnian_Cyrillic",
                "Bosnian_Latin",
                "Breton",
                "Corsican",
                "Croatian",
                "Danish_Greenlandic",
                "Dari",
                "Divehi",
                "Frisian",
                "Georgian_Modern_Sort",
                "German_PhoneBook",
                "Hindi",
                "Hungarian",
                "Hungarian_Technical",
                "Indic_General",
                "Kazakh",
                "Khmer",
                "Korean_Wansung_Unicode",
                "Lao",
                "Lithuanian_Classic",
                "Macedonian",
                "Macedonian_FYROM",
                "Maltese",
                "Maori",
                "Mapudungan",
                "Mohawk",
                "Nepali",
                "Pashto",
                "Persian",
                "Romanian",
                "Romansh",
                "Sami_Norway",
                "Sami_Sweden_Finland",
                "Serbian_Cyrillic",
                "Serbian_Latin",
                "Syriac",
                "Tamazight",
                "Tatar",
                "Tibetan",
                "Turkmen",
                "Uighur",
                "Upper_Sorbian",
                "Urdu",
                "Uzbek_Latin",
                "Welsh",
                "Yakut")) {
            add(name, "", Known.BINARY);
        }
    }

    private Designators() {}

    private static void add(String name, String own, Known known) {
        KNOWN.put(name.toUpperCase(Locale.ROOT), new Designator(CYRILLIC + own, own.equals(TURKISH_LETTERS), known));
    }

    /** Returns what is known of a language; null if SQL Server has no such collations. */
    static @Nullable Designator find(String name) {
        Designator known = KNOWN.get(name.toUpperCase(Locale.ROOT));
        return known == null && SQL.matcher(name).matches() ? new Designator("", false, Known.BINARY) : known;
    }
}

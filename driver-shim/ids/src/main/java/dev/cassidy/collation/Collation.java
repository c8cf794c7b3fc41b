package dev.cassidy.collation;

import dev.cassidy.collation.Designators.Designator;
import dev.cassidy.collation.Designators.Known;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A collation of SQL Server, as far as equality goes: {@link #fold} returns one form for all texts that it takes for equal. It does
 * not sort. Immutable, and safe for use by several threads.
 *
 * <h2>Rules</h2>
 * <ul>
 *   <li>Blanks (U+0020) at the end do not count, by binary collations neither: "the ANSI standard requires padding for the
 *       character strings used in comparisons" (Microsoft KB 316626, "How SQL Server Compares Strings with Trailing Spaces").
 *   <li>Binary collations ({@code _BIN}, {@code _BIN2}) compare code units, and know no other rule.
 *   <li>Canonically equivalent texts are equal: é is e and U+0301, and U+212B is Å. Exception: a syllable of Hangul and its
 *       letters, which Windows tells apart.
 *   <li>Ligatures are their letters: ß is ss, æ is ae, œ is oe, þ is th, ﬁ is fi, and ǆ is dž; Arabic letters in their forms are
 *       the letters.
 *   <li>{@code _CI}: letters of both cases are equal by Unicode's simple small letters, and ς is σ. Raised and lowered digits and
 *       signs, ⁱ, and ⁿ, are those on the line.
 *   <li>{@code _AI}: marks with a combining class do not count, but for vowels, viramas and letters above others; ø is o, ł is l,
 *       and ı is i. A letter of the language's own is no variant of another one: ñ in Spanish, ł in Polish, й in all.
 *   <li>Without {@code _WS}, full-width and half-width characters are the usual ones. Without {@code _KS}, katakana is hiragana.
 *   <li>{@code Turkish} and {@code Azeri_Latin}: with {@code _CI}, I is ı, and İ is i.
 *   <li>NUL, U+FFFD, the soft hyphen, the Arabic kashida, U+FEFF, and marks of format (U+034F, U+061C, U+180B to U+180D, U+200C to
 *       U+200F, U+202A to U+202E, U+2060 to U+206F, U+FFF9 to U+FFFB) have no weight; without {@code _VSS} the variation selectors
 *       U+FE00 to U+FE0F have none either.
 *   <li>Characters beyond U+FFFF have no weight by collations without a version ("all supplementary characters compare equal"),
 *       and are compared by code from {@code _90_} on.
 * </ul>
 *
 * <h2>The same as Windows' tables, and what differs</h2>
 * SQL Server compares by tables of Windows: about those of Windows Server 2003 without a version in the name, and of Windows Server
 * 2008 with {@code _100_}. Microsoft publishes the weights ([MS-UCODEREF], 3.1.5.2.3.1). Of the 55,632 characters up to U+FFFF that
 * Unicode 14 knows, each alone, the rules above take for equal what the weights of Windows 10 do, except:
 * <ul>
 *   <li>Equal here alone: raised and lowered digits and signs (SQL Server takes them for equal: {@code m³/h} and {@code m3/h} are one
 *       key), Ʀ and ʀ, Θ and ϴ, U+FFE9 and U+FFEB and the arrows that they are narrow forms of, U+FA6B and U+6075, U+FA6D and
 *       U+8218; with {@code _AI} also ª and a, º and o, U+FB1F and U+05F2, U+09DF and U+09AF, U+0C48 and U+0C46.
 *   <li>By the weights of Windows 2008 these too: ten pairs of letters such as Ɔ and ɔ, the signs of Kelvin and Ohm, and four
 *       letters and marks of Greek. By those of Windows 2003, and in Chinese, Japanese and Korean by all, compatibility ideographs
 *       and the unified ones are different.
 *   <li>Equal to nothing in Windows alone: characters that are younger than its tables, without a version also U+0218 to U+021B and
 *       the ideographs of extension A ("undefined characters are ignored", Microsoft's blog sqlprogrammability, 2006). Here each is
 *       itself: which ones they are depends on the version, and is not published for SQL Server.
 *   <li>Equal in Windows alone: letters of phonetic alphabets that are above the line, and the letters on it; wide letters of
 *       Hebrew, and their final forms; small forms of signs; Ş and Ṥ, Ǖ and Ṻ, and some 200 marks and signs of other blocks, which
 *       have one weight by chance or by a sum; in Japanese U+005C and ¥, in Korean U+005C and ₩; with {@code _AI} also digits of
 *       other scripts, circled letters, and letters of phonetic alphabets.
 *   <li>Windows adds the weights of marks, so that different marks may have equal sums. Its table of 2008 so tells some
 *       200 Vietnamese and Greek letters from their decompositions, and all tables tell が from か and U+3099.
 *   <li>й is no variant of и with {@code _AI}, as in Windows 2008; in Windows 10 it is.
 *   <li>A blank before an ignored character at the end does not count.
 * </ul>
 *
 * <p>CHAR and VARCHAR columns with an {@code SQL_} collation are compared in SQL Server by a table of their code page, which has no
 * ligatures and no raised digits: 'ß' is not 'ss' there, and N'ß' is. Here all texts are compared as NVARCHAR is.
 *
 * <h2>What is refused</h2>
 * Languages whose collations have other equal pairs, or letters of which is not known whether they are their own: they are refused
 * but for their binary collations. With {@code _AI} also those of Danish, Norwegian, Swedish, Finnish, Icelandic, the Baltic
 * languages, and Vietnamese: there ü may be y, aa be å, or w be v. {@code SQL_} collations other than those of Latin1_General with code
 * pages 1252, 437 and 850.
 */
public final class Collation {

    /** The name of SQL Server's default collation. */
    public static final String DEFAULT_NAME = "SQL_Latin1_General_CP1_CI_AS";

    /** The version of the pinned tables by which new keys are made. */
    public static final int NEWEST_VERSION = FoldingTable.NEWEST;

    private static final Pattern NAME = Pattern.compile(
            "(?<language>\\w+?)(?:_(?<version>90|100|140))?"
                    + "(?:(?<binary>_BIN2?)|_(?<case>CI|CS)_(?<accents>AI|AS)(?<kana>_KS)?(?<width>_WS)?(?<selectors>_VSS)?(?:_SC)?)"
                    + "(?:_UTF8)?",
            Pattern.CASE_INSENSITIVE);

    /** What is made once: there are as many as combinations of rules, and making one takes milliseconds. */
    private static final Map<Tables, Folding> FOLDINGS = new ConcurrentHashMap<>();

    private record Tables(int version, FoldingRules rules) {}

    private final String name;
    private final int version;
    private final @Nullable FoldingRules rules;
    private final @Nullable Folding folding;

    private Collation(String name, int version, FoldingTable table, @Nullable FoldingRules rules) {
        this.name = name;
        this.version = version;
        this.rules = rules;
        this.folding = rules == null
                ? null
                : FOLDINGS.computeIfAbsent(new Tables(version, rules), each -> new Folding(table, rules));
    }

    /** Returns SQL Server's default collation, by the newest tables. */
    public static Collation standard() {
        return of(DEFAULT_NAME);
    }

    /**
     * Returns a collation by the newest tables.
     *
     * @param name as SQL Server writes it; its case does not matter
     * @throws IllegalArgumentException if it is no name of a collation, or if what that collation takes for equal is not known
     */
    public static Collation of(String name) {
        return of(name, NEWEST_VERSION);
    }

    /**
     * Returns a collation by the tables of a given version, by which the keys of a table were made.
     *
     * @throws IllegalArgumentException as {@link #of(String)}, or if this release does not have that version
     */
    public static Collation of(String name, int version) {
        Objects.requireNonNull(name, "name");
        FoldingTable table = FoldingTable.ofVersion(version);
        Matcher matcher = NAME.matcher(name);
        Designator language = matcher.matches() ? Designators.find(matcher.group("language")) : null;
        if (language == null) {
            throw new IllegalArgumentException("must be the name of a collation of SQL Server: collation=" + name
                    + ". Write one of sys.fn_helpcollations(), such as Latin1_General_100_CI_AS");
        }
        return new Collation(
                name, version, table, matcher.group("binary") != null ? null : rules(name, matcher, language));
    }

    private static FoldingRules rules(String name, Matcher matcher, Designator language) {
        boolean ignoresAccents = matcher.group("accents").equalsIgnoreCase("AI");
        if (language.known() == Known.BINARY || (ignoresAccents && language.known() == Known.WITH_ACCENTS)) {
            throw new IllegalArgumentException(
                    "must be a collation of which is known what it takes for equal: collation=" + name + ". Write "
                            + (language.known() == Known.WITH_ACCENTS ? "the one with _AS, " : "")
                            + "Latin1_General_100_" + matcher.group("case") + "_" + matcher.group("accents")
                            + ", or Latin1_General_BIN2");
        }
        return new FoldingRules(
                matcher.group("case").equalsIgnoreCase("CI"),
                ignoresAccents,
                matcher.group("width") == null,
                matcher.group("kana") == null,
                matcher.group("selectors") == null,
                matcher.group("version") == null,
                language.turkish(),
                language.own());
    }

    /** Returns the name, as it was given. */
    public String name() {
        return name;
    }

    /** Returns the version of the tables. A table's contract stores it with the name. */
    public int version() {
        return version;
    }

    /** Returns whether characters are compared by their codes alone. */
    public boolean isBinary() {
        return rules == null;
    }

    /** Returns whether {@code A} is {@code a}. */
    public boolean ignoresCase() {
        return rules != null && rules.ignoresCase();
    }

    /** Returns whether {@code é} is {@code e}. */
    public boolean ignoresAccents() {
        return rules != null && rules.ignoresAccents();
    }

    /**
     * Returns the form that all texts have which equal the given one, and no other text. The form of a form is itself. It may be
     * empty, also of a text that is not. A text of ASCII costs no memory but for its form, and none if it is its form.
     */
    public String fold(String text) {
        return folding == null ? text.substring(0, Folding.withoutBlanks(text)) : folding.fold(text);
    }

    /** Returns whether {@code =} is true of the two. */
    public boolean equal(String one, String other) {
        return one.equals(other) || fold(one).equals(fold(other));
    }

    /** Two are equal if their names differ in nothing but case, and their versions in nothing. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Collation that && version == that.version && name.equalsIgnoreCase(that.name);
    }

    @Override
    public int hashCode() {
        return 31 * name.toUpperCase(Locale.ROOT).hashCode() + version;
    }

    /** Returns the name and the version. */
    @Override
    public String toString() {
        return name + ", version " + version;
    }
}

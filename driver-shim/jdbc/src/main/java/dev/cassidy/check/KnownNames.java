package dev.cassidy.check;

import dev.cassidy.insert.StatementShape;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The words that a report may show: those of SQL, and the names of the old database and of the target. A statement may hold
 * a value in any other place too: in double quotes, where QUOTED_IDENTIFIER is off, in an alias in brackets, or without
 * quotes, as an argument of a procedure or by an injection. Such words are replaced by {@code n1}, {@code n2} and so on
 * before a statement is judged, so that no message can repeat them. Safe for use by many threads.
 */
final class KnownNames {

    /** More than a database of one application has. */
    private static final int MOST = 200_000;

    /** Those of both databases are shorter. */
    private static final int LONGEST = 128;

    /** The words of T-SQL and CQL, of their types and of their functions. */
    private static final Set<String> WORDS = words("""
            action add aggregate all allow alter and any apply as asc at authorization backup before begin between break browse
            bulk by cache called cascade case cast catch check checkpoint close clustered clustering coalesce collate column
            columnfamily commit compact compute conflict constraint contains containstable continue convert count create cross
            cube current current_date current_time current_timestamp current_user cursor custom cycle database datacenters
            deallocate declare default delete deny desc describe disable disk distinct distributed do double drop duplicate dump
            each else enable end entries errlvl escape except exec execute exists exit external false fetch file fillfactor
            filtering finalfunc first following for foreign freetext freetexttable from frozen full function generated go goto
            grant group grouping groups having holdlock identity identity_insert identitycol if ignore immediate in include
            increment index infinity initcond inner input insert intersect into is isolation join json key keys keyspace
            keyspaces kill language last left level like limit lineno list load local login map maxvalue masked materialized
            matched merge minvalue modify mbean mbeans names nan national next no nocheck nocount nologin nolock
            nonclustered none norecursive norevoke nosuperuser not nowait null nullif nulls of off offset offsets
            on only open opendatasource openquery openrowset openxml option options or order out outer output over overlay
            owner paglock partition password per percent permission permissions persisted pivot plan preceding precision
            prepare primary print prior proc procedure public raiserror range raw read readcommitted readpast readtext
            readuncommitted reconfigure references repeatable repeatableread replace replication reseed restart restore
            restrict return returning returns revert revoke right role roles rollback rollup row rowcount rowguidcol rowlock
            rows rule save savepoint schema schemabinding scroll securityaudit select semanticsimilaritytable sequence
            serializable session session_user set setuser sfunc shutdown snapshot some start state static statement
            statistics storage stype superuser synonym system system_user table tablesample tablock tablockx temp temporary
            textsize then ties timeout to top tran transaction trigger true truncate try try_cast try_convert tsequal ttl
            tuple type unbounded uncommitted union unique unlogged unpivot unset update updatetext updlock url use user
            username users using value values varying view waitfor when where while window with within without work
            writetext writetime xact_abort xlock xml zone

            array ascii bigint binary bit blob bool boolean char character clob counter date datetime datetime2
            datetimeoffset dec decimal duration float geography geometry hierarchyid image inet int int2 int4 int8 integer
            money nchar nclob ntext number numeric nvarchar object real rowversion smalldatetime smallint smallmoney
            sql_variant sysname text time timestamp timeuuid tinyint uniqueidentifier uuid varbinary varchar varint vector

            abs acos app_name asin atan atn2 avg ceiling charindex checksum checksum_agg choose col_length col_name
            columnproperty concat concat_ws cos cot count_big cume_dist currentdate currenttime currenttimestamp
            currenttimeuuid databasepropertyex datalength dateadd datediff datediff_big datefromparts datename dateof datepart
            datetimefromparts day db_id db_name degrees dense_rank difference eomonth error_line error_message error_number
            error_procedure error_severity error_state exp first_value floor format fromjson getdate getutcdate has_perms_by_name
            host_name ident_current ident_incr ident_seed iif index_col indexproperty indkey is_member is_srvrolemember isdate
            isjson isnull isnumeric json_modify json_query json_value lag last_insert_id last_value lead len log log10 lower
            ltrim max maxtimeuuid min mintimeuuid mod month newid newsequentialid nextval now ntile objectproperty object_id
            object_name openjson original_login parse parsename patindex percent_rank percentile_cont percentile_disc pi power
            quotename radians rand rank replicate reverse round row_number rowcount_big rtrim scope_identity serverproperty sign
            sin soundex space sql_variant_property sqrt square stdev stdevp str string_agg string_split stuff substring sum
            suser_id suser_name suser_sname switchoffset sysdatetime sysdatetimeoffset sysutcdatetime tan todate
            todatetimeoffset tojson token totimestamp tounixtimestamp translate trim try_parse type_id type_name
            unicode unixtimestampof upper user_id user_name var varp year ident_insert error trancount fetch_status
            version spid servername

            yyyy quarter dayofyear week weekday hour minute second millisecond microsecond nanosecond
            sys dbo information_schema tables columns schemata table_name table_schema column_name objects indexes
            identity_columns sequences sysobjects inserted deleted sp_executesql sp_rename

            all_columns all_objects ansi_defaults ansi_null_dflt_off ansi_null_dflt_on ansi_nulls ansi_padding ansi_warnings
            arithabort arithignore atomic authorize batch call check_constraints checkident comment concat_null_yields_null
            constraint_column_usage conversation d dbcc deadlock_priority default_constraints dialog filestream_on fn
            foreign_key_columns foreign_keys id ignore_constraints ignore_triggers is_ms_shipped istable isusertable
            keepidentity key_column_usage key_constraints lock_timeout logged more name no_infomsgs noreseed numeric_roundabort
            oj parent_object_id procedures quoted_identifier readcommittedlock referential_constraints rename routines schema_id
            security sequence_catalog sequence_name sequence_schema sparse synonyms syscolumns sysindexes t table_catalog
            table_constraints table_type textimage_on throw triggers ts type_desc uid unrestrict views xtype
            """);

    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final Predicate<String> ofTarget;

    /**
     * @param ofDatabase names of the old database
     * @param ofTarget whether the target has an object of the name, given in small letters
     */
    KnownNames(Set<String> ofDatabase, Predicate<String> ofTarget) {
        ofDatabase.forEach(this::add);
        this.ofTarget = ofTarget;
    }

    /** Returns the text with another name for each word that may be a value; it means the same. */
    String shown(String sql) {
        learn(sql);
        return StatementShape.renamed(sql, this::isKnown);
    }

    private boolean isKnown(String word) {
        String small = OldDatabase.small(word);
        return WORDS.contains(small) || names.contains(small) || ofTarget.test(small);
    }

    /**
     * Takes the names that a definition of a table, index, sequence or schema makes, because an application may create its
     * tables: that of the object, and the first name of each element in the brackets. Nothing else of the text, which may go
     * on with another statement.
     */
    private void learn(String sql) {
        try {
            learn(new Tokens(sql));
        } catch (UnsupportedSqlException e) {
            // A bracket or a quote without its end: the parser will say so.
        }
    }

    private void learn(Tokens tokens) {
        if (!tokens.isAnyWord(0, "create", "alter")) {
            return;
        }
        int at = 1;
        while (tokens.isAnyWord(at, "unique", "clustered", "nonclustered", "custom")) {
            at++;
        }
        if (!tokens.isAnyWord(at, "table", "index", "sequence", "schema")) {
            return;
        }
        at++;
        while (tokens.isAnyWord(at, "if", "not", "exists")) {
            at++;
        }
        at = learnName(tokens, at);
        if (tokens.isWord(at, "on")) {
            at = learnName(tokens, at + 1);
        }
        if (tokens.isSymbol(at, '(')) {
            learnElements(tokens, at);
        } else if (tokens.isWord(at, "add")) {
            learnElement(tokens, tokens.isWord(at + 1, "column") ? at + 2 : at + 1);
        }
    }

    /** Takes a name with what qualifies it; returns the token after it. */
    private int learnName(Tokens tokens, int from) {
        int at = from;
        while (tokens.kind(at).isName()) {
            learnElement(tokens, at);
            if (!tokens.isSymbol(at + 1, '.')) {
                return at + 1;
            }
            at += 2;
        }
        return at;
    }

    private void learnElements(Tokens tokens, int bracket) {
        int end = tokens.afterClosing(bracket);
        int depth = 0;
        for (int token = bracket; token < end; token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth == 1 && (token == bracket || tokens.isSymbol(token, ','))) {
                learnElement(tokens, tokens.isWord(token + 1, "constraint") ? token + 2 : token + 1);
            }
        }
    }

    private void learnElement(Tokens tokens, int token) {
        if (tokens.kind(token).isName()) {
            add(StatementShape.nameOf(tokens.text(token), tokens.kind(token)));
        }
    }

    private void add(String name) {
        if (names.size() < MOST && name.length() <= LONGEST) {
            names.add(OldDatabase.small(name));
        }
    }

    private static Set<String> words(String text) {
        return Arrays.stream(text.strip().split("\\s+", -1))
                .map(word -> word.toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
    }
}

package dev.cassidy.differential;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A day of the shop: what its DAO classes do to either database, and what they observe. */
final class Scenario {

    private final Database database;
    private final Observations seen;
    private final Connection connection;

    Scenario(Database database, Observations seen, Connection connection) {
        this.database = database;
        this.seen = seen;
        this.connection = connection;
    }

    static void run(Database database, Observations seen) throws SQLException {
        try (Connection connection = database.connect("")) {
            Scenario scenario = new Scenario(database, seen, connection);
            scenario.tables();
            scenario.customers();
            scenario.identityIdioms();
            scenario.explicitIds();
            scenario.keysOfASequence();
            scenario.capitals();
            scenario.queries();
            scenario.updates();
            scenario.kinds();
            scenario.misfits();
            scenario.versions();
            scenario.transactions();
            scenario.batches();
            scenario.errors();
            scenario.everyday();
            scenario.results();
        }
    }

    private Object count(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private Object rows(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return Observations.rows(rows);
        }
    }

    /** Returns all results of one execute in order: rows, or a count. */
    private Object results(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            List<Object> results = new ArrayList<>();
            boolean rows = statement.execute(sql);
            while (rows || statement.getUpdateCount() != -1) {
                results.add(rows ? Observations.rows(statement.getResultSet()) : statement.getUpdateCount());
                rows = statement.getMoreResults();
            }
            return results;
        }
    }

    private void tables() {
        seen.step("CREATE TABLE ... IDENTITY", () -> count(CustomerDao.TABLE));
        seen.step("CREATE TABLE of a table that is there", () -> count(CustomerDao.TABLE));
        seen.step("CREATE TABLE orders", () -> count(OrderDao.ORDERS));
        seen.step("CREATE TABLE with a key of two columns", () -> count(OrderDao.LINES));
        seen.step("CREATE TABLE stock", () -> count(StockDao.TABLE));
        seen.step("CREATE TABLE of every type", () -> count(KindDao.TABLE));
        seen.step(
                "CREATE TABLE audit",
                () -> count("CREATE TABLE audit (id BIGINT IDENTITY(1,1) PRIMARY KEY, what NVARCHAR(50))"));
    }

    /** H2 is set to ignore them, as SQL Server's default collation does. */
    private void capitals() {
        seen.step(
                "CREATE TABLE with a text key",
                () -> count("CREATE TABLE account (username NVARCHAR(20) PRIMARY KEY, role NVARCHAR(20))"));
        seen.step(
                "insert with a text key", () -> count("INSERT INTO account (username, role) VALUES ('Admin', 'boss')"));
        seen.step("a text key as it is", () -> rows("SELECT role FROM account WHERE username = 'Admin'"));
        seen.step("a string key in another case", () -> rows("SELECT role FROM account WHERE username = 'admin'"));
        seen.step(
                "a second row with it", () -> count("INSERT INTO account (username, role) VALUES ('admin', 'thief')"));
    }

    private void customers() {
        CustomerDao customers = new CustomerDao(connection);
        seen.step("insert, key by flag", () -> customers.insertByFlag("Ada", "ada@example.org"));
        seen.step("insert with a null, key by flag", () -> customers.insertByFlag("Bob", null));
        seen.step("insert, key by column index", () -> customers.insertByIndex("Cid"));
        seen.step("insert, key by column name", () -> customers.insertByName("Dan", "id"));
        seen.step("insert, key by a column name in capitals", () -> customers.insertByName("Eve", "ID"));
        seen.step("insert, key by the name of no column", () -> customers.insertByName("Foe", "nothing"));
        seen.step("a key's getters", () -> customers.insertAndReadTheKeyInEveryWay("Gus"));
        seen.step("a key's columns", () -> customers.keyColumns("Hal"));
        seen.step("keys that nobody asked for", () -> customers.keysThatNobodyAskedFor("Ida"));
        seen.step("batch with keys", () -> customers.insertBatch("Jan", "Kim", "Leo"));
        seen.step("an empty batch", () -> customers.insertBatch());
        seen.step("several rows of VALUES with keys", () -> customers.insertLiteral("('Mia', 1.50), (N'Nils', 2.25)"));
        seen.step("a quote in a literal", () -> customers.insertLiteral("('O''Hara', 1.00)"));
        seen.step("find the first customer", () -> customers.find(1));
        seen.step("find one with nulls", () -> customers.find(2));
        seen.step("find a missing one", () -> customers.find(4711));
        seen.step(
                "columns of named ones",
                () -> customers.selectedColumns(
                        "SELECT id, name AS title, credit, since, active FROM customer WHERE id = 1"));
        seen.step("columns of SELECT *", () -> customers.selectedColumns("SELECT * FROM customer WHERE id = 1"));
        seen.step("columns of COUNT(*)", () -> customers.selectedColumns("SELECT COUNT(*) FROM customer"));
        seen.step(
                "columns of an aggregate with a name",
                () -> customers.selectedColumns("SELECT COUNT(*) AS n, MAX(id) AS latest FROM customer"));
    }

    private void identityIdioms() {
        Dao dao = new Dao(connection);
        seen.step("INSERT ... DEFAULT VALUES", () -> dao.insert("INSERT INTO audit DEFAULT VALUES"));
        seen.step("SELECT SCOPE_IDENTITY() behind an insert", () -> {
            dao.update("INSERT INTO audit (what) VALUES (?)", "scope");
            return rows("SELECT SCOPE_IDENTITY()");
        });
        seen.step("SELECT @@IDENTITY after an insert", () -> {
            dao.update("INSERT INTO audit (what) VALUES (?)", "global");
            return rows("SELECT @@IDENTITY");
        });
        seen.step(
                "INSERT ...; SELECT SCOPE_IDENTITY()",
                () -> results("INSERT INTO audit (what) VALUES ('both'); SELECT SCOPE_IDENTITY() AS id"));
        seen.step("the id that was made", () -> rows("SELECT MAX(id) FROM audit"));
        seen.step("DEFAULT as id", () -> dao.insert("INSERT INTO audit (id, what) VALUES (DEFAULT, 'default')"));
        seen.step(
                "keys of a table without identity",
                () -> dao.insert("INSERT INTO order_line (order_id, line, product) VALUES (1, 1, 'x')"));
        seen.step("an id as a parameter's text", () -> dao.select("SELECT what FROM audit WHERE id = ?", "2"));
        seen.step("NEWID()", () -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT NEWID()")) {
                return row.next() && row.getString(1).length() == 36;
            }
        });
        seen.step("SELECT without a table", () -> rows("SELECT 1"));
        seen.step("GETDATE()", () -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT GETDATE()")) {
                return row.next() && row.getObject(1) instanceof Timestamp;
            }
        });
    }

    private void explicitIds() throws SQLException {
        seen.step(
                "CREATE TABLE of explicit ids",
                () -> count("CREATE TABLE ledger (id INT IDENTITY(1000,1) PRIMARY KEY, v NVARCHAR(10))"));
        seen.step("SET IDENTITY_INSERT ON", () -> count("SET IDENTITY_INSERT dbo.ledger ON"));
        seen.step("explicit id before the first", () -> count("INSERT INTO ledger (id, v) VALUES (7, 'seven')"));
        seen.step("the same id again", () -> count("INSERT INTO ledger (id, v) VALUES (7, 'again')"));
        seen.step("what it left", () -> rows("SELECT v FROM ledger WHERE id = 7"));
        seen.step("explicit id past the first", () -> count("INSERT INTO ledger (id, v) VALUES (5000, 'past')"));
        seen.step("SET IDENTITY_INSERT OFF", () -> count("SET IDENTITY_INSERT ledger OFF"));
        seen.step("an id goes on as before", () -> new Dao(connection)
                .insert("INSERT INTO ledger (v) VALUES (?)", "next"));
        try (Connection strict = database.connect("&identityInsert=strict")) {
            Dao dao = new Dao(strict);
            seen.step(
                    "strict: an explicit id, IDENTITY_INSERT OFF",
                    () -> dao.update("INSERT INTO ledger (id, v) VALUES (9, 'a')"));
            seen.step("strict: SET IDENTITY_INSERT ON", () -> dao.update("SET IDENTITY_INSERT ledger ON"));
            seen.step(
                    "strict: an explicit id, IDENTITY_INSERT ON",
                    () -> dao.update("INSERT INTO ledger (id, v) VALUES (10, 'a')"));
            seen.step("strict: the same id again", () -> dao.update("INSERT INTO ledger (id, v) VALUES (10, 'b')"));
        }
    }

    private void keysOfASequence() {
        Dao dao = new Dao(connection);
        seen.step("CREATE SEQUENCE", () -> count("CREATE SEQUENCE voucher_seq AS INT START WITH 1000"));
        seen.step(
                "CREATE TABLE ... DEFAULT NEXT VALUE FOR",
                () -> count(
                        "CREATE TABLE voucher (id INT DEFAULT (NEXT VALUE FOR voucher_seq) PRIMARY KEY, v NVARCHAR(10))"));
        seen.step("sequence: the key by default", () -> dao.insert("INSERT INTO voucher (v) VALUES (?)", "a"));
        seen.step("sequence: keys of several rows", () -> dao.insert("INSERT INTO voucher (v) VALUES (?), ('c')", "b"));
        seen.step(
                "sequence: the key within the INSERT",
                () -> dao.insert("INSERT INTO voucher (id, v) VALUES (NEXT VALUE FOR voucher_seq, ?)", "d"));
        seen.step("sequence: drawn first", () -> {
            int id = ((Number) dao.select("SELECT NEXT VALUE FOR voucher_seq")
                            .get(0)
                            .get(0))
                    .intValue();
            return List.of(dao.update("INSERT INTO voucher (id, v) VALUES (?, 'e')", id), id);
        });
        seen.step(
                "sequence: an explicit id before the first",
                () -> count("INSERT INTO voucher (id, v) VALUES (7, 'seven')"));
        seen.step(
                "sequence: an explicit id that is there",
                () -> count("INSERT INTO voucher (id, v) VALUES (1000, 'over')"));
        seen.step(
                "sequence: an explicit id past the first",
                () -> count("INSERT INTO voucher (id, v) VALUES (5000, 'x')"));
        seen.step("sequence: NULL as key", () -> count("INSERT INTO voucher (id, v) VALUES (NULL, 'x')"));
        seen.step("sequence: what it left", () -> rows("SELECT v FROM voucher WHERE id = 1000"));
    }

    private void queries() {
        Dao dao = new Dao(connection);
        seen.step("COUNT(*)", () -> rows("SELECT COUNT(*) FROM customer"));
        seen.step("COUNT_BIG(*)", () -> rows("SELECT COUNT_BIG(*) FROM customer"));
        seen.step("COUNT of a column with nulls", () -> rows("SELECT COUNT(email) FROM customer"));
        seen.step("MIN and MAX of ids", () -> rows("SELECT MIN(id), MAX(id) FROM customer"));
        seen.step("SUM of an INT column", () -> rows("SELECT SUM(id) FROM ledger WHERE id = 7"));
        seen.step("AVG of an INT column", () -> rows("SELECT AVG(id) FROM ledger WHERE id = 7"));
        seen.step("SUM of a DECIMAL column", () -> rows("SELECT SUM(credit) FROM customer WHERE id = 1"));
        seen.step("SUM of no row", () -> rows("SELECT SUM(credit) FROM customer WHERE id = 4711"));
        seen.step("MAX of no row", () -> rows("SELECT MAX(id) FROM customer WHERE id = 4711"));
        seen.step("COUNT of no row", () -> rows("SELECT COUNT(*) FROM customer WHERE id = 4711"));
        seen.step("TOP n", () -> ((List<?>) rows("SELECT TOP 3 id FROM customer")).size());
        seen.step("TOP (n)", () -> ((List<?>) rows("SELECT TOP (2) id FROM customer")).size());
        seen.step("IN", () -> rows("SELECT id FROM customer WHERE id IN (1, 4711)"));
        seen.step("IN by parameters", () -> dao.select("SELECT name FROM customer WHERE id IN (?, ?)", 2, 4711));
        seen.step("an alias", () -> rows("SELECT c.name FROM customer c WHERE c.id = 1"));
        seen.step("brackets and dbo.", () -> rows("SELECT [name] FROM [dbo].[customer] WHERE [id] = 1"));
        seen.step("NOLOCK", () -> rows("SELECT name FROM customer WITH (NOLOCK) WHERE id = 1"));
        seen.step("WHERE on a column without index", () -> rows("SELECT id FROM customer WHERE name = 'Ada'"));
        seen.step("WHERE id > ?", () -> dao.select("SELECT id FROM customer WHERE id > ?", 4710));
        seen.step("ORDER BY", () -> rows("SELECT id FROM customer WHERE id IN (1, 2) ORDER BY id DESC"));
        seen.step("LIKE", () -> rows("SELECT id FROM customer WHERE name LIKE 'Ad%'"));
        seen.step("IS NULL", () -> rows("SELECT TOP 1 id FROM customer WHERE email IS NULL"));
        seen.step(
                "= NULL by a parameter", () -> dao.select("SELECT id FROM customer WHERE id = ?", new Object[] {null}));
        seen.step("a join", () -> rows("SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id"));
        seen.step("GROUP BY", () -> rows("SELECT active, COUNT(*) FROM customer WHERE id = 1 GROUP BY active"));
        seen.step("ISNULL", () -> rows("SELECT ISNULL(email, '-') FROM customer WHERE id = 2"));
        seen.step("arithmetic in SELECT", () -> rows("SELECT id + 1 FROM customer WHERE id = 1"));
    }

    private void updates() {
        Dao dao = new Dao(connection);
        seen.step("UPDATE", () -> dao.update("UPDATE customer SET email = ? WHERE id = ?", "bob@example.org", 2));
        seen.step("what it wrote", () -> dao.select("SELECT name, email FROM customer WHERE id = ?", 2));
        seen.step("UPDATE to null", () -> dao.update("UPDATE customer SET email = ? WHERE id = ?", null, 2));
        seen.step("what became null", () -> dao.select("SELECT email FROM customer WHERE id = ?", 2));
        seen.step("UPDATE of a missing row", () -> dao.update("UPDATE customer SET name = ? WHERE id = ?", "x", 9000));
        seen.step("what it left there", () -> dao.select("SELECT id, name FROM customer WHERE id = ?", 9000));
        seen.step("DELETE", () -> dao.update("DELETE FROM customer WHERE id = ?", 3));
        seen.step("what is deleted", () -> dao.select("SELECT id FROM customer WHERE id = ?", 3));
        seen.step("DELETE of a missing row", () -> dao.update("DELETE FROM customer WHERE id = ?", 9001));
        seen.step("UPDATE of several rows", () -> count("UPDATE customer SET email = 'c' WHERE id IN (1, 2)"));
        seen.step("BIT: SET active = 0", () -> count("UPDATE customer SET active = 0 WHERE id = 1"));
        seen.step(
                "UPDATE by a column that is no key",
                () -> dao.update("UPDATE customer SET active = ? WHERE name = ?", true, "Ada"));
        seen.step("UPDATE without WHERE", () -> count("UPDATE ledger SET v = 'all'"));
        seen.step(
                "UPDATE by arithmetic",
                () -> count("UPDATE order_line SET qty = qty + 1 WHERE order_id = 5 AND line = 1"));
        seen.step("UPDATE of the key", () -> count("UPDATE audit SET id = 77 WHERE id = 1"));
        seen.step("DELETE without WHERE", () -> count("DELETE FROM ledger"));
        seen.step("INSERT ... SELECT", () -> count("INSERT INTO audit (what) SELECT v FROM ledger"));
    }

    private void kinds() {
        KindDao kinds = new KindDao(connection);
        UUID uuid = UUID.fromString("01234567-89ab-cdef-8123-456789abcdef");
        Timestamp moment = Timestamp.valueOf("2026-03-04 05:06:07.089");
        seen.step(
                "INT: setInt, getObject",
                () -> kinds.writeAndRead("i", (s, n) -> s.setInt(n, 42), ResultSet::getObject));
        seen.step(
                "INT: setObject, getString",
                () -> kinds.writeAndRead("i", (s, n) -> s.setObject(n, 42), ResultSet::getString));
        seen.step(
                "INT: setString, getInt",
                () -> kinds.writeAndRead("i", (s, n) -> s.setString(n, "42"), ResultSet::getInt));
        seen.step(
                "INT: setLong, getLong", () -> kinds.writeAndRead("i", (s, n) -> s.setLong(n, 42), ResultSet::getLong));
        seen.step(
                "INT: null, getInt",
                () -> kinds.writeAndRead("i", (s, n) -> s.setNull(n, Types.INTEGER), ResultSet::getInt));
        seen.step(
                "INT: null, getObject",
                () -> kinds.writeAndRead("i", (s, n) -> s.setObject(n, null), ResultSet::getObject));
        seen.step("INT: getDouble", () -> kinds.writeAndRead("i", (s, n) -> s.setInt(n, -7), ResultSet::getDouble));
        seen.step(
                "INT: getBigDecimal",
                () -> kinds.writeAndRead("i", (s, n) -> s.setInt(n, -7), ResultSet::getBigDecimal));
        seen.step("INT: getBoolean", () -> kinds.writeAndRead("i", (s, n) -> s.setInt(n, 1), ResultSet::getBoolean));
        seen.step(
                "INT: getObject(Long.class)",
                () -> kinds.writeAndRead("i", (s, n) -> s.setInt(n, 1), (r, n) -> r.getObject(n, Long.class)));
        seen.step(
                "BIGINT: setLong, getObject",
                () -> kinds.writeAndRead("l", (s, n) -> s.setLong(n, Long.MAX_VALUE), ResultSet::getObject));
        seen.step(
                "BIGINT: setInt, getLong", () -> kinds.writeAndRead("l", (s, n) -> s.setInt(n, 5), ResultSet::getLong));
        seen.step(
                "BIGINT: too large for getInt",
                () -> kinds.writeAndRead("l", (s, n) -> s.setLong(n, 5_000_000_000L), ResultSet::getInt));
        seen.step(
                "SMALLINT: setShort, getShort",
                () -> kinds.writeAndRead("s", (s, n) -> s.setShort(n, (short) 3), ResultSet::getShort));
        seen.step("SMALLINT: getObject", () -> kinds.writeAndRead("s", (s, n) -> s.setInt(n, 3), ResultSet::getObject));
        seen.step(
                "BIT: setBoolean, getObject",
                () -> kinds.writeAndRead("b", (s, n) -> s.setBoolean(n, true), ResultSet::getObject));
        seen.step(
                "BIT: setInt, getBoolean",
                () -> kinds.writeAndRead("b", (s, n) -> s.setInt(n, 1), ResultSet::getBoolean));
        seen.step("BIT: getInt", () -> kinds.writeAndRead("b", (s, n) -> s.setBoolean(n, true), ResultSet::getInt));
        seen.step(
                "BIT: getString", () -> kinds.writeAndRead("b", (s, n) -> s.setBoolean(n, true), ResultSet::getString));
        seen.step("BIT: a literal 1", () -> {
            List<List<Object>> key = new Dao(connection).insert("INSERT INTO kind (b) VALUES (1)");
            return new Dao(connection)
                    .select("SELECT b FROM kind WHERE id = ?", key.get(0).get(0));
        });
        seen.step(
                "DECIMAL: setBigDecimal, getObject",
                () -> kinds.writeAndRead(
                        "d", (s, n) -> s.setBigDecimal(n, new BigDecimal("34.90")), ResultSet::getObject));
        seen.step(
                "DECIMAL: getString",
                () -> kinds.writeAndRead(
                        "d", (s, n) -> s.setBigDecimal(n, new BigDecimal("34.90")), ResultSet::getString));
        seen.step(
                "DECIMAL: setString, getBigDecimal",
                () -> kinds.writeAndRead("d", (s, n) -> s.setString(n, "1.25"), ResultSet::getBigDecimal));
        seen.step(
                "DECIMAL: setDouble, getDouble",
                () -> kinds.writeAndRead("d", (s, n) -> s.setDouble(n, 7.25), ResultSet::getDouble));
        seen.step(
                "DECIMAL: fewer digits than its scale",
                () -> kinds.writeAndRead(
                        "d", (s, n) -> s.setBigDecimal(n, new BigDecimal("7.5")), ResultSet::getBigDecimal));
        seen.step("DECIMAL: an int", () -> kinds.writeAndRead("d", (s, n) -> s.setInt(n, 7), ResultSet::getBigDecimal));
        seen.step(
                "DECIMAL: more digits than its scale",
                () -> kinds.writeAndRead(
                        "d", (s, n) -> s.setBigDecimal(n, new BigDecimal("7.129")), ResultSet::getBigDecimal));
        seen.step(
                "FLOAT: setDouble, getObject",
                () -> kinds.writeAndRead("f", (s, n) -> s.setDouble(n, 0.1), ResultSet::getObject));
        seen.step(
                "FLOAT: getString", () -> kinds.writeAndRead("f", (s, n) -> s.setDouble(n, 0.1), ResultSet::getString));
        seen.step(
                "REAL: setFloat, getFloat",
                () -> kinds.writeAndRead("r", (s, n) -> s.setFloat(n, 1.5f), ResultSet::getFloat));
        seen.step(
                "REAL: getObject", () -> kinds.writeAndRead("r", (s, n) -> s.setFloat(n, 1.5f), ResultSet::getObject));
        seen.step(
                "NVARCHAR: setString, getObject",
                () -> kinds.writeAndRead("t", (s, n) -> s.setString(n, "äß€"), ResultSet::getObject));
        seen.step(
                "NVARCHAR: setNString, getNString",
                () -> kinds.writeAndRead("t", (s, n) -> s.setNString(n, "ü"), ResultSet::getNString));
        seen.step(
                "NVARCHAR: empty text",
                () -> kinds.writeAndRead("t", (s, n) -> s.setString(n, ""), ResultSet::getString));
        seen.step(
                "NVARCHAR: null text",
                () -> kinds.writeAndRead("t", (s, n) -> s.setString(n, null), ResultSet::getString));
        seen.step(
                "NVARCHAR: getInt of digits",
                () -> kinds.writeAndRead("t", (s, n) -> s.setString(n, "12"), ResultSet::getInt));
        seen.step(
                "NVARCHAR: getInt of letters",
                () -> kinds.writeAndRead("t", (s, n) -> s.setString(n, "abc"), ResultSet::getInt));
        seen.step(
                "NVARCHAR: setInt, getString",
                () -> kinds.writeAndRead("t", (s, n) -> s.setInt(n, 12), ResultSet::getString));
        seen.step(
                "DATE: setDate, getObject",
                () -> kinds.writeAndRead(
                        "born", (s, n) -> s.setDate(n, Date.valueOf("2024-02-29")), ResultSet::getObject));
        seen.step(
                "DATE: setObject(LocalDate), getObject(LocalDate.class)",
                () -> kinds.writeAndRead(
                        "born",
                        (s, n) -> s.setObject(n, LocalDate.of(1999, 12, 31)),
                        (r, n) -> r.getObject(n, LocalDate.class)));
        seen.step(
                "DATE: setString, getString",
                () -> kinds.writeAndRead("born", (s, n) -> s.setString(n, "2024-02-29"), ResultSet::getString));
        seen.step(
                "DATE: getTimestamp",
                () -> kinds.writeAndRead(
                        "born", (s, n) -> s.setDate(n, Date.valueOf("2024-02-29")), ResultSet::getTimestamp));
        seen.step(
                "TIME: setTime, getTime",
                () -> kinds.writeAndRead(
                        "clock", (s, n) -> s.setTime(n, Time.valueOf("12:34:56")), ResultSet::getTime));
        seen.step(
                "TIME: getObject",
                () -> kinds.writeAndRead(
                        "clock", (s, n) -> s.setTime(n, Time.valueOf("12:34:56")), ResultSet::getObject));
        seen.step(
                "TIME: getString",
                () -> kinds.writeAndRead(
                        "clock", (s, n) -> s.setTime(n, Time.valueOf("12:34:56")), ResultSet::getString));
        seen.step(
                "TIME: setObject(LocalTime), getObject(LocalTime.class)",
                () -> kinds.writeAndRead(
                        "clock",
                        (s, n) -> s.setObject(n, LocalTime.of(1, 2, 3)),
                        (r, n) -> r.getObject(n, LocalTime.class)));
        seen.step(
                "DATETIME2: setTimestamp, getObject",
                () -> kinds.writeAndRead("moment", (s, n) -> s.setTimestamp(n, moment), ResultSet::getObject));
        seen.step(
                "DATETIME2: getTimestamp",
                () -> kinds.writeAndRead("moment", (s, n) -> s.setTimestamp(n, moment), ResultSet::getTimestamp));
        seen.step(
                "DATETIME2: setObject(LocalDateTime), getObject(LocalDateTime.class)",
                () -> kinds.writeAndRead(
                        "moment",
                        (s, n) -> s.setObject(n, LocalDateTime.of(2026, 3, 4, 5, 6, 7)),
                        (r, n) -> r.getObject(n, LocalDateTime.class)));
        seen.step(
                "DATETIME2: getString",
                () -> kinds.writeAndRead("moment", (s, n) -> s.setTimestamp(n, moment), ResultSet::getString));
        seen.step(
                "DATETIME2: getDate",
                () -> kinds.writeAndRead("moment", (s, n) -> s.setTimestamp(n, moment), ResultSet::getDate));
        seen.step(
                "DATETIME2: setString, getTimestamp",
                () -> kinds.writeAndRead(
                        "moment", (s, n) -> s.setString(n, "2026-03-04 05:06:07.089"), ResultSet::getTimestamp));
        seen.step(
                "DATETIME2: a microsecond",
                () -> kinds.writeAndRead(
                        "moment",
                        (s, n) -> s.setTimestamp(n, Timestamp.valueOf("2026-03-04 05:06:07.089001")),
                        ResultSet::getTimestamp));
        seen.step(
                "UNIQUEIDENTIFIER: setObject(UUID), getObject",
                () -> kinds.writeAndRead("u", (s, n) -> s.setObject(n, uuid), ResultSet::getObject));
        seen.step(
                "UNIQUEIDENTIFIER: setString, getString",
                () -> kinds.writeAndRead("u", (s, n) -> s.setString(n, uuid.toString()), ResultSet::getString));
        seen.step(
                "UNIQUEIDENTIFIER: no uuid",
                () -> kinds.writeAndRead("u", (s, n) -> s.setString(n, "none"), ResultSet::getString));
        seen.step(
                "VARBINARY: setBytes, getBytes",
                () -> kinds.writeAndRead("raw", (s, n) -> s.setBytes(n, new byte[] {0, 1, -1}), ResultSet::getBytes));
        seen.step(
                "VARBINARY: getObject",
                () -> kinds.writeAndRead("raw", (s, n) -> s.setBytes(n, new byte[] {0, 1, -1}), ResultSet::getObject));
        seen.step(
                "VARBINARY: empty",
                () -> kinds.writeAndRead("raw", (s, n) -> s.setBytes(n, new byte[0]), ResultSet::getBytes));
        seen.step("classes of every type", () -> new CustomerDao(connection)
                .selectedColumns("SELECT i, l, s, b, d, f, r, t, born, clock, moment, u, raw FROM kind WHERE id = 1"));
    }

    private void misfits() {
        KindDao kinds = new KindDao(connection);
        seen.step(
                "NULL into a NOT NULL column",
                () -> count("INSERT INTO customer (name, email) VALUES (NULL, 'nobody@example.org')"));
        seen.step(
                "too large for INT",
                () -> kinds.writeAndRead("i", (s, n) -> s.setLong(n, 5_000_000_000L), ResultSet::getObject));
        seen.step(
                "too large for SMALLINT",
                () -> kinds.writeAndRead("s", (s, n) -> s.setInt(n, 70_000), ResultSet::getObject));
        seen.step(
                "too large for BIGINT",
                () -> kinds.writeAndRead(
                        "l", (s, n) -> s.setBigDecimal(n, new BigDecimal("1e20")), ResultSet::getObject));
        seen.step(
                "too large for DECIMAL(10,2)",
                () -> kinds.writeAndRead(
                        "d", (s, n) -> s.setBigDecimal(n, new BigDecimal("123456789012.00")), ResultSet::getObject));
        seen.step("too large a literal", () -> count("INSERT INTO kind (i) VALUES (5000000000)"));
        seen.step(
                "text into INT", () -> kinds.writeAndRead("i", (s, n) -> s.setString(n, "abc"), ResultSet::getObject));
        seen.step("a text literal into INT", () -> count("INSERT INTO kind (i) VALUES ('abc')"));
        seen.step(
                "a fraction into INT",
                () -> kinds.writeAndRead("i", (s, n) -> s.setDouble(n, 1.5), ResultSet::getObject));
        seen.step(
                "string into DATE",
                () -> kinds.writeAndRead("born", (s, n) -> s.setString(n, "soon"), ResultSet::getObject));
        seen.step(
                "a date that does not exist",
                () -> kinds.writeAndRead("born", (s, n) -> s.setString(n, "2023-02-29"), ResultSet::getObject));
        seen.step(
                "string longer than NVARCHAR(5)",
                () -> kinds.writeAndRead("t", (s, n) -> s.setString(n, "123456"), ResultSet::getObject));
    }

    private void versions() throws SQLException {
        try (Connection mine = database.connect("");
                Connection theirs = database.connect("")) {
            StockDao stock = new StockDao(mine);
            StockDao other = new StockDao(theirs);
            seen.step("stock: first row", () -> stock.insert("kettle", 10));
            seen.step("stock: second row", () -> stock.insert("pan", 20));
            seen.step("stock: take at the version that was read", () -> stock.take(1, 0, 9));
            seen.step("stock: another one lost the race", () -> other.take(1, 0, 5));
            seen.step("stock: what is left", () -> other.find(1));
            seen.step("stock: after reading again", () -> other.take(1, 1, 8));
            seen.step("stock: a missing row", () -> stock.take(99, 0, 1));
            seen.step("stock: what the missing row is", () -> stock.find(99));
            seen.step("stock: batch with a lost race", () -> stock.takeAll(0, 3, 1, 2));
            seen.step("stock: what the batch left", () -> List.of(stock.find(1), stock.find(2)));
            seen.step("stock: plain update", () -> stock.update("UPDATE stock SET qty = ? WHERE id = ?", 70, 2));
            seen.step(
                    "stock: plain update of a missing row",
                    () -> stock.update("UPDATE stock SET qty = ? WHERE id = ?", 70, 98));
            seen.step("stock: delete of an old version", () -> stock.delete(2, 0));
            seen.step("stock: delete of the version", () -> stock.delete(2, 1));
            seen.step("stock: delete of it again", () -> stock.delete(2, 1));
            seen.step(
                    "stock: explicit id that is there",
                    () -> stock.update("INSERT INTO stock (id, product, qty, version) VALUES (1, 'x', 1, 0)"));
            mine.setAutoCommit(false);
            seen.step("stock: take in a transaction", () -> stock.take(1, 2, 7));
            mine.rollback();
            seen.step("stock: after its rollback", () -> stock.find(1));
        }
    }

    private void transactions() throws SQLException {
        try (Connection mine = database.connect("")) {
            OrderDao orders = new OrderDao(mine);
            OrderDao others = new OrderDao(connection);
            mine.setAutoCommit(false);
            seen.step("transaction: place an order", () -> orders.place(1, "kettle", "pan"));
            seen.step("transaction: its own reads", () -> orders.lines(1000));
            seen.step("transaction: what others read before the commit", () -> others.lines(1000));
            seen.step("transaction: commit", () -> {
                mine.commit();
                return others.lines(1000);
            });
            seen.step("transaction: the order", () -> others.find(1000));
            seen.step("transaction: rolled back order", () -> {
                long id = orders.place(2, "cup");
                mine.rollback();
                return List.of(id, others.find(id), others.lines(id));
            });
            seen.step("transaction: the next id", () -> {
                long id = orders.place(3, "cup");
                mine.commit();
                return List.of(id, others.lines(id));
            });
            seen.step("transaction: UPDATE and DELETE", () -> {
                List<Object> counts = List.of(
                        orders.update("UPDATE orders SET note = ? WHERE id = ?", "gift", 1000),
                        orders.update("DELETE FROM order_line WHERE order_id = ? AND line = ?", 1000, 1));
                mine.commit();
                return List.of(counts, others.find(1000), others.lines(1000));
            });
            seen.step("transaction: two updates of one row", () -> {
                orders.update("UPDATE orders SET note = ? WHERE id = ?", "zzz", 1000);
                orders.update("UPDATE orders SET note = ? WHERE id = ?", "aaa", 1000);
                mine.commit();
                return others.select("SELECT note FROM orders WHERE id = ?", 1000);
            });
            seen.step("transaction: DELETE of two rows by the first column of the key", () -> {
                orders.update("INSERT INTO order_line (order_id, line, qty) VALUES (?, ?, ?)", 1000, 1, 5);
                int count = orders.update("DELETE FROM order_line WHERE order_id = ?", 1000);
                mine.commit();
                return List.of(count, others.lines(1000));
            });
            seen.step("transaction: setAutoCommit(true) commits", () -> {
                long id = orders.place(4);
                mine.setAutoCommit(true);
                return others.select("SELECT customer_id FROM orders WHERE id = ?", id);
            });
            seen.step("commit with auto-commit on", () -> {
                mine.commit();
                return "nothing";
            });
            seen.step("a savepoint", () -> {
                mine.setAutoCommit(false);
                mine.setSavepoint();
                return "set";
            });
            seen.step("isolation level", () -> {
                mine.rollback();
                mine.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                return mine.getTransactionIsolation();
            });
        }
    }

    private void batches() {
        seen.step("batch of statements", () -> {
            try (Statement batch = connection.createStatement()) {
                batch.addBatch("INSERT INTO audit (what) VALUES ('b1')");
                batch.addBatch("UPDATE audit SET what = 'b2' WHERE id = 1");
                batch.addBatch("DELETE FROM audit WHERE id = 2");
                return batch.executeBatch();
            }
        });
        seen.step("batch with a failing entry", () -> {
            try (PreparedStatement batch = connection.prepareStatement("INSERT INTO kind (i) VALUES (?)")) {
                batch.setInt(1, 1001);
                batch.addBatch();
                batch.setString(1, "abc");
                batch.addBatch();
                batch.setInt(1, 1003);
                batch.addBatch();
                return batch.executeBatch();
            }
        });
        seen.step("batch with an entry that the server refuses", () -> {
            try (Statement batch = connection.createStatement()) {
                batch.addBatch("INSERT INTO audit (what) VALUES ('before')");
                batch.addBatch("INSERT INTO nowhere (what) VALUES ('x')");
                batch.addBatch("INSERT INTO audit (what) VALUES ('after')");
                return batch.executeBatch();
            }
        });
        seen.step("batch after clearBatch", () -> {
            try (PreparedStatement batch = connection.prepareStatement("INSERT INTO audit (what) VALUES (?)")) {
                batch.setString(1, "never");
                batch.addBatch();
                batch.clearBatch();
                return batch.executeBatch();
            }
        });
        seen.step("batch with a query", () -> {
            try (Statement batch = connection.createStatement()) {
                batch.addBatch("SELECT 1");
                return batch.executeBatch();
            }
        });
    }

    private void errors() {
        seen.step("unknown table", () -> rows("SELECT * FROM nowhere"));
        seen.step("unknown table in INSERT", () -> count("INSERT INTO nowhere (a) VALUES (1)"));
        seen.step("unknown column", () -> rows("SELECT nothing FROM customer"));
        seen.step("unknown column in INSERT", () -> count("INSERT INTO customer (nothing) VALUES (1)"));
        seen.step("unknown column in UPDATE", () -> count("UPDATE customer SET nothing = 1 WHERE id = 1"));
        seen.step("syntax error", () -> count("SELEC name FROM customer"));
        seen.step("syntax error after a table", () -> rows("SELECT name FROM customer WHERE"));
        seen.step("more values than columns", () -> count("INSERT INTO customer (name) VALUES ('a', 'b')"));
        seen.step("DROP TABLE of a missing table", () -> count("DROP TABLE nowhere"));
        seen.step("a parameter that was never set", () -> {
            try (PreparedStatement select = connection.prepareStatement("SELECT name FROM customer WHERE id = ?")) {
                return Observations.rows(select.executeQuery());
            }
        });
        seen.step("parameter index 0", () -> {
            try (PreparedStatement select = connection.prepareStatement("SELECT name FROM customer WHERE id = ?")) {
                select.setInt(0, 1);
                return "set";
            }
        });
        seen.step("parameter index past the last", () -> {
            try (PreparedStatement select = connection.prepareStatement("SELECT name FROM customer WHERE id = ?")) {
                select.setInt(2, 1);
                return "set";
            }
        });
        seen.step("executeQuery of an UPDATE", () -> rows("UPDATE customer SET email = 'a' WHERE id = 1"));
        seen.step("executeUpdate of a SELECT", () -> count("SELECT name FROM customer WHERE id = 1"));
        seen.step("a closed statement", () -> {
            Statement statement = connection.createStatement();
            statement.close();
            statement.close();
            return statement.executeQuery("SELECT 1");
        });
        seen.step("a closed result set", () -> {
            try (Statement statement = connection.createStatement()) {
                ResultSet rows = statement.executeQuery("SELECT name FROM customer WHERE id = 1");
                rows.close();
                return rows.next();
            }
        });
        seen.step("a result set of a closed statement", () -> {
            Statement statement = connection.createStatement();
            ResultSet rows = statement.executeQuery("SELECT name FROM customer WHERE id = 1");
            statement.close();
            return List.of(rows.isClosed(), statement.isClosed());
        });
        seen.step("a result set of a statement that ran again", () -> {
            try (Statement statement = connection.createStatement()) {
                ResultSet first = statement.executeQuery("SELECT name FROM customer WHERE id = 1");
                statement.executeQuery("SELECT name FROM customer WHERE id = 2");
                return first.isClosed();
            }
        });
        seen.step("a closed connection", () -> {
            Connection closed = database.connect("");
            closed.close();
            return closed.createStatement();
        });
        seen.step("a getter before next()", () -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT name FROM customer WHERE id = 1")) {
                return rows.getString(1);
            }
        });
        seen.step("a getter after the last row", () -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT name FROM customer WHERE id = 1")) {
                rows.next();
                rows.next();
                return rows.getString(1);
            }
        });
        seen.step("the label of no column", () -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT name FROM customer WHERE id = 1")) {
                rows.next();
                return rows.getString("nothing");
            }
        });
        seen.step("column index 0", () -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT name FROM customer WHERE id = 1")) {
                rows.next();
                return rows.getString(0);
            }
        });
    }

    private void everyday() {
        Dao dao = new Dao(connection);
        CustomerDao customers = new CustomerDao(connection);
        KindDao kinds = new KindDao(connection);
        seen.step(
                "CREATE TABLE with columns that CQL reserves",
                () -> count("CREATE TABLE ticket (token NVARCHAR(20) PRIMARY KEY, limit INT, batch INT)"));
        seen.step(
                "insert into columns that CQL reserves",
                () -> dao.update("INSERT INTO ticket (token, limit, batch) VALUES (?, ?, 3)", "abc", 5));
        seen.step(
                "columns that CQL reserves",
                () -> dao.select("SELECT t.token, t.limit, t.batch FROM ticket t WHERE t.token = ?", "abc"));
        seen.step("LIKE without a wildcard", () -> rows("SELECT batch FROM ticket WHERE token LIKE 'abc'"));
        seen.step(
                "LIKE by a parameter without a wildcard",
                () -> dao.select("SELECT batch FROM ticket WHERE token LIKE ?", "abc"));
        seen.step(
                "LIKE by a parameter with a wildcard",
                () -> dao.select("SELECT batch FROM ticket WHERE token LIKE ?", "ab%"));
        seen.step(
                "columns with names without AS",
                () -> customers.selectedColumns("SELECT c.name title, c.id [key] FROM customer c WHERE c.id = 1"));
        seen.step(
                "a name without AS", () -> rows("SELECT c.id key_of_it, c.name title FROM customer c WHERE c.id = 1"));
        seen.step("a literal in the list", () -> rows("SELECT 1 FROM customer WHERE id = 1"));
        seen.step("a literal in the list, no row", () -> rows("SELECT 1 FROM customer WHERE id = 4711"));
        seen.step("literals without a table", () -> rows("SELECT -1, 1.5, N'a', NULL, .5, 3000000000"));
        seen.step(
                "CAST of literals", () -> rows("SELECT CAST(1 AS BIGINT), CAST('5' AS INT), CAST(2 AS DECIMAL(5,2))"));
        seen.step("WHERE 1=1", () -> ((List<?>) rows("SELECT batch FROM ticket WHERE 1=1")).size());
        seen.step("WHERE 1=1 AND", () -> rows("SELECT id FROM customer WHERE 1=1 AND id = 1"));
        seen.step("WHERE 1=0", () -> rows("SELECT id FROM customer WHERE 1=0"));
        seen.step("columns of WHERE 1=0", () -> customers.selectedColumns("SELECT id, name FROM customer WHERE 1=0"));
        seen.step("TOP 0", () -> rows("SELECT TOP 0 id FROM customer"));
        seen.step("TOP by a parameter of 0", () -> dao.select("SELECT TOP (?) id FROM customer", 0));
        seen.step("DELETE WHERE 1=0", () -> count("DELETE FROM customer WHERE 1=0"));
        seen.step("OR of two ids", () -> rows("SELECT id FROM customer WHERE id = 1 OR id = 4711"));
        seen.step(
                "OR of two ids by parameters",
                () -> dao.select("SELECT id FROM customer WHERE (id = ? OR id = ?)", 4711, 2));
        seen.step("OR of one id twice", () -> rows("SELECT id FROM customer WHERE id = 1 OR id = 1"));
        seen.step("OR of different columns", () -> rows("SELECT id FROM customer WHERE id = 1 OR name = 'x'"));
        seen.step("ORDER BY the key in WHERE", () -> rows("SELECT id FROM customer WHERE id = 1 ORDER BY id"));
        seen.step("ORDER BY of one row", () -> rows("SELECT id FROM customer WHERE id = 1 ORDER BY name DESC, 1"));
        seen.step(
                "SET of the key to itself",
                () -> dao.update("UPDATE customer SET id = ?, email = ? WHERE id = ?", 1, "same", 1L));
        seen.step("what that wrote", () -> rows("SELECT email FROM customer WHERE id = 1"));
        seen.step(
                "SET of the key to another one",
                () -> dao.update("UPDATE ticket SET token = ?, batch = ? WHERE token = ?", "xyz", 4, "abc"));
        seen.step("numbers in T-SQL's forms", () -> {
            List<List<Object>> key = dao.insert("INSERT INTO kind (i, f, d) VALUES (+5, .5, -.25)");
            return dao.select("SELECT i, f FROM kind WHERE id = ?", key.get(0).get(0));
        });
        seen.step("numbers in quotes", () -> {
            List<List<Object>> key = dao.insert("INSERT INTO kind (i, l, d, f) VALUES ('1', '-2', '12.50', '0.5')");
            return dao.select(
                    "SELECT i, l, d, f FROM kind WHERE id = ?", key.get(0).get(0));
        });
        seen.step("a uuid in quotes", () -> {
            List<List<Object>> key =
                    dao.insert("INSERT INTO kind (u, b) VALUES ('F1234567-89AB-CDEF-8123-456789ABCDEF', 'true')");
            return dao.select("SELECT u, b FROM kind WHERE id = ?", key.get(0).get(0));
        });
        seen.step("too large a number in quotes", () -> count("INSERT INTO kind (i) VALUES ('5000000000')"));
        seen.step(
                "DATE: setTimestamp, getDate",
                () -> kinds.writeAndRead(
                        "born",
                        (s, n) -> s.setTimestamp(n, Timestamp.valueOf("2024-02-29 23:59:59")),
                        ResultSet::getDate));
        seen.step(
                "DATE: setObject(java.util.Date, DATE), getDate",
                () -> kinds.writeAndRead(
                        "born",
                        (s, n) -> s.setObject(
                                n,
                                new Timestamp(
                                        Timestamp.valueOf("2024-02-29 23:59:59").getTime()),
                                Types.DATE),
                        ResultSet::getDate));
        seen.step("DATE: GETDATE()", () -> {
            List<List<Object>> key = dao.insert("INSERT INTO kind (born) VALUES (GETDATE())");
            List<List<Object>> read =
                    dao.select("SELECT born FROM kind WHERE id = ?", key.get(0).get(0));
            return read.get(0).get(0) instanceof Date;
        });
        seen.step(
                "three lines of an order",
                () -> List.of(
                        count("INSERT INTO order_line (order_id, line, product) VALUES (7, 1, 'a')"),
                        count("INSERT INTO order_line (order_id, line, product) VALUES (7, 2, 'b')"),
                        count("INSERT INTO order_line (order_id, line, product) VALUES (7, 3, 'c')")));
        seen.step("a scrollable result", () -> {
            try (Statement statement =
                            connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
                    ResultSet rows = statement.executeQuery("SELECT line FROM order_line WHERE order_id = 7")) {
                return scrolled(rows);
            }
        });
    }

    private static Object scrolled(ResultSet rows) throws SQLException {
        List<Object> seen = new ArrayList<>(List.of(rows.isBeforeFirst(), rows.last(), rows.getRow(), rows.getInt(1)));
        seen.addAll(List.of(rows.isLast(), rows.previous(), rows.getInt(1), rows.absolute(1), rows.getInt(1)));
        seen.addAll(List.of(rows.absolute(-1), rows.getInt(1), rows.relative(-2), rows.getInt(1), rows.absolute(4)));
        seen.addAll(
                List.of(rows.isAfterLast(), rows.previous(), rows.getRow(), rows.relative(-5), rows.isBeforeFirst()));
        seen.addAll(List.of(rows.next(), rows.isFirst(), rows.first(), rows.getRow()));
        rows.afterLast();
        seen.add(rows.isAfterLast());
        rows.beforeFirst();
        seen.addAll(List.of(rows.next(), rows.getInt(1), rows.getType() == ResultSet.TYPE_SCROLL_INSENSITIVE));
        return seen;
    }

    private void results() {
        seen.step("maxRows", () -> {
            try (Statement statement = connection.createStatement()) {
                statement.setMaxRows(2);
                return List.of(
                        statement.getMaxRows(),
                        Observations.rows(statement.executeQuery("SELECT id FROM customer"))
                                .size());
            }
        });
        seen.step("negative maxRows", () -> {
            try (Statement statement = connection.createStatement()) {
                statement.setMaxRows(-1);
                return "set";
            }
        });
        seen.step("fetch size 1", () -> {
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(1);
                return List.of(
                        statement.getFetchSize(),
                        Observations.rows(statement.executeQuery("SELECT id FROM customer WHERE id IN (1, 2)"))
                                .size());
            }
        });
        seen.step("negative fetch size", () -> {
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(-1);
                return "set";
            }
        });
        seen.step("cursor positions", () -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT id FROM customer WHERE id = 1")) {
                return List.of(
                        rows.isBeforeFirst(),
                        rows.getRow(),
                        rows.next(),
                        rows.isFirst(),
                        rows.getRow(),
                        rows.next(),
                        rows.isAfterLast(),
                        rows.getRow());
            }
        });
        seen.step("findColumn", () -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT id, name AS title FROM customer WHERE id = 1")) {
                return List.of(rows.findColumn("ID"), rows.findColumn("Title"));
            }
        });
        seen.step("one query's results", () -> results("SELECT name FROM customer WHERE id = 1"));
        seen.step("one update's results", () -> results("UPDATE customer SET email = 'a' WHERE id = 1"));
        seen.step(
                "results of two statements",
                () -> results("UPDATE customer SET email = 'b' WHERE id = 1; SELECT name FROM customer WHERE id = 1"));
        seen.step(
                "results of two queries",
                () -> results("SELECT name FROM customer WHERE id = 1; SELECT name FROM customer WHERE id = 2"));
        seen.step("a prepared statement's columns before it runs", () -> {
            try (PreparedStatement select = connection.prepareStatement("SELECT id, name FROM customer WHERE id = ?")) {
                return Observations.columns(select.getMetaData());
            }
        });
        seen.step("a prepared statement's parameters", () -> {
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO customer (name, credit) VALUES (?, ?)")) {
                return List.of(
                        insert.getParameterMetaData().getParameterCount(),
                        insert.getParameterMetaData().getParameterClassName(2));
            }
        });
        seen.step("a prepared statement runs again with other parameters", () -> {
            try (PreparedStatement select = connection.prepareStatement("SELECT name FROM customer WHERE id = ?")) {
                List<Object> names = new ArrayList<>();
                for (int id = 1; id <= 2; id++) {
                    select.setInt(1, id);
                    names.add(Observations.rows(select.executeQuery()));
                }
                return names;
            }
        });
        seen.step("TRUNCATE TABLE", () -> count("TRUNCATE TABLE audit"));
        seen.step("an id after TRUNCATE", () -> new Dao(connection)
                .insert("INSERT INTO audit (what) VALUES (?)", "again"));
        seen.step("DROP TABLE", () -> count("DROP TABLE ledger"));
    }
}

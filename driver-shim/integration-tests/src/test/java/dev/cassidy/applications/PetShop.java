package dev.cassidy.applications;

import java.io.StringReader;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.jdbc.ScriptRunner;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;

/**
 * A shop for pets: catalogue, accounts, orders. Written for SQL Server with MyBatis, one table a statement, as it has been
 * for ten years: nothing in it knows of Cassandra.
 */
final class PetShop {

    static final String SCHEMA = """
            CREATE TABLE [dbo].[Category] (
                [Code] NVARCHAR(10) NOT NULL CONSTRAINT [PK_Category] PRIMARY KEY CLUSTERED,
                [Name] NVARCHAR(80) NOT NULL
            );
            CREATE TABLE [dbo].[Product] (
                [Code] NVARCHAR(10) NOT NULL,
                [Category] NVARCHAR(10) NOT NULL,
                [Name] NVARCHAR(80) NOT NULL,
                [Description] NVARCHAR(255) NULL,
                CONSTRAINT [PK_Product] PRIMARY KEY CLUSTERED ([Code] ASC),
                CONSTRAINT [FK_Product_Category] FOREIGN KEY ([Category]) REFERENCES [dbo].[Category] ([Code])
            );
            CREATE NONCLUSTERED INDEX [IX_Product_Category] ON [dbo].[Product] ([Category] ASC);
            CREATE TABLE [dbo].[Item] (
                [Code] NVARCHAR(10) NOT NULL PRIMARY KEY,
                [Product] NVARCHAR(10) NOT NULL REFERENCES [dbo].[Product] ([Code]),
                [Price] DECIMAL(10,2) NOT NULL CONSTRAINT [DF_Item_Price] DEFAULT ((0)),
                [Status] NCHAR(1) NOT NULL DEFAULT N'P',
                [Attribute] NVARCHAR(80) NULL
            );
            CREATE INDEX [IX_Item_Product] ON [dbo].[Item] ([Product]);
            CREATE TABLE [dbo].[Stock] (
                [Item] NVARCHAR(10) NOT NULL PRIMARY KEY,
                [Quantity] INT NOT NULL DEFAULT 0,
                CONSTRAINT [CK_Stock] CHECK ([Quantity] >= 0)
            );
            CREATE TABLE [dbo].[Account] (
                [Username] NVARCHAR(80) NOT NULL PRIMARY KEY,
                [Password] NVARCHAR(80) NOT NULL,
                [Email] NVARCHAR(80) NOT NULL CONSTRAINT [UQ_Account_Email] UNIQUE,
                [Language] NVARCHAR(20) NOT NULL DEFAULT ('english'),
                [Banner] BIT NOT NULL DEFAULT ((1)),
                [Created] DATETIME2 NOT NULL CONSTRAINT [DF_Account_Created] DEFAULT (getdate())
            );
            CREATE TABLE [dbo].[Purchase] (
                [Id] INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
                [Username] NVARCHAR(80) NOT NULL,
                [Placed] DATETIME2 NOT NULL DEFAULT (getdate()),
                [Status] NVARCHAR(10) NOT NULL DEFAULT 'new',
                [Total] DECIMAL(12,2) NOT NULL,
                CONSTRAINT [FK_Purchase_Account] FOREIGN KEY ([Username]) REFERENCES [dbo].[Account] ([Username])
                    ON DELETE CASCADE
            );
            CREATE INDEX [IX_Purchase_Username] ON [dbo].[Purchase] ([Username] ASC, [Placed] DESC);
            CREATE TABLE [dbo].[PurchaseLine] (
                [Purchase] INT NOT NULL,
                [Line] SMALLINT NOT NULL,
                [Item] NVARCHAR(10) NOT NULL,
                [Quantity] INT NOT NULL DEFAULT 1,
                [Price] DECIMAL(10,2) NOT NULL,
                CONSTRAINT [PK_PurchaseLine] PRIMARY KEY ([Purchase], [Line])
            );
            """;

    /** Rows by their columns' labels; MyBatis leaves a column out of the map if it is null. */
    interface Catalogue {
        @Insert("INSERT INTO Category VALUES (#{code}, #{name})")
        int addCategory(@Param("code") String code, @Param("name") String name);

        @Insert("INSERT INTO Product (Code, Category, Name, Description) VALUES (#{code}, #{category}, #{name},"
                + " #{description,jdbcType=NVARCHAR})")
        int addProduct(
                @Param("code") String code,
                @Param("category") String category,
                @Param("name") String name,
                @Param("description") String description);

        @Insert(
                "INSERT INTO Item (Code, Product, Price, Attribute) VALUES (#{code}, #{product}, #{price}, #{attribute})")
        int addItem(
                @Param("code") String code,
                @Param("product") String product,
                @Param("price") BigDecimal price,
                @Param("attribute") String attribute);

        @Insert("INSERT INTO Item (Code, Product) VALUES (#{code}, #{product})")
        int addItemWithoutAPrice(@Param("code") String code, @Param("product") String product);

        @Select("SELECT c.Code AS \"code\", c.Name AS \"name\" FROM Category c")
        List<Map<String, Object>> categories();

        @Select(
                "SELECT p.Code [code], p.Name [name], p.Description [description] FROM [dbo].[Product] p WHERE p.Category ="
                        + " #{category}")
        List<Map<String, Object>> products(String category);

        @Select(
                "SELECT Code AS \"code\", Category AS \"category\", Name AS \"name\", Description AS \"description\" FROM"
                        + " dbo.Product WITH (NOLOCK) WHERE Code = #{code}")
        Map<String, Object> product(String code);

        @Select(
                "SELECT Code AS \"code\", Price AS \"price\", Status AS \"status\" FROM Item WHERE Product = #{product}")
        List<Map<String, Object>> items(String product);

        @Select(
                "SELECT TOP 1 Code AS \"code\", Product AS \"product\", Price AS \"price\", Status AS \"status\", Attribute"
                        + " AS \"attribute\" FROM Item WHERE Code = #{code}")
        Map<String, Object> item(String code);
    }

    interface Stock {
        @Insert("INSERT INTO Stock (Item) VALUES (#{item})")
        int add(String item);

        @Update("UPDATE Stock SET Quantity = Quantity + #{quantity} WHERE Item = #{item}")
        int deliver(@Param("item") String item, @Param("quantity") int quantity);

        @Update("UPDATE Stock SET Quantity = Quantity - #{quantity} WHERE Item = #{item} AND Quantity >= #{quantity}")
        int take(@Param("item") String item, @Param("quantity") int quantity);

        @Select("SELECT Quantity FROM Stock WHERE Item = #{item}")
        Integer quantity(String item);
    }

    interface Accounts {
        @Insert("INSERT INTO Account (Username, Password, Email) VALUES (#{username}, #{password}, #{email})")
        int signUp(
                @Param("username") String username, @Param("password") String password, @Param("email") String email);

        @Select("SELECT Password FROM Account WHERE Username = #{username}")
        String password(String username);

        @Select(
                "SELECT Username AS \"username\", Email AS \"email\", Language AS \"language\", Banner AS \"banner\" FROM"
                        + " Account WHERE Username = #{username}")
        Map<String, Object> account(String username);

        @Select("SELECT 1 FROM Account WHERE Username = #{username} AND 1 = 1")
        Integer exists(String username);

        @Select("SELECT Created FROM Account WHERE Username = #{username}")
        java.sql.Timestamp created(String username);

        @Update("UPDATE Account SET Email = #{email}, Banner = #{banner} WHERE Username = #{username}")
        int change(@Param("username") String username, @Param("email") String email, @Param("banner") boolean banner);
    }

    interface Purchases {
        @Insert("INSERT INTO Purchase (Username, Total) VALUES (#{username}, #{total})")
        @Options(useGeneratedKeys = true, keyProperty = "id")
        int place(Purchase purchase);

        @Insert({
            "<script>INSERT INTO PurchaseLine (Purchase, Line, Item, Quantity, Price) VALUES",
            "<foreach collection='lines' item='l' index='i' separator=','>",
            "(#{purchase}, #{i} , #{l.item}, #{l.quantity}, #{l.price})</foreach></script>"
        })
        int addLines(@Param("purchase") int purchase, @Param("lines") List<Line> lines);

        @Insert("INSERT INTO PurchaseLine (Purchase, Line, Item, Price) VALUES (#{purchase}, 99, 'gift', 0)")
        int addGift(int purchase);

        @Update("UPDATE Purchase SET Status = 'sent' WHERE Id = #{id}")
        int send(int id);

        @Select(
                "SELECT Id AS \"id\", Username AS \"username\", Status AS \"status\", Total AS \"total\" FROM Purchase WHERE"
                        + " Id = #{id}")
        Map<String, Object> purchase(int id);

        @Select(
                "SELECT Line AS \"line\", Item AS \"item\", Quantity AS \"quantity\", Price AS \"price\" FROM PurchaseLine"
                        + " WHERE Purchase = #{purchase} ORDER BY Line")
        List<Map<String, Object>> lines(int purchase);

        @Select("SELECT Id FROM Purchase WHERE Username = #{username}")
        List<Integer> of(String username);

        @Select("SELECT COUNT(*) FROM PurchaseLine WHERE Purchase = #{purchase}")
        int lineCount(int purchase);

        @Select("SELECT SUM(Quantity) FROM PurchaseLine WHERE Purchase = #{purchase}")
        Integer pieces(int purchase);

        @Select("SELECT MAX(Line) FROM PurchaseLine WHERE Purchase = #{purchase}")
        Integer lastLine(int purchase);
    }

    /** What is bought: MyBatis writes the id that the database generates. */
    static final class Purchase {
        private Integer id;
        private final String username;
        private final BigDecimal total;

        Purchase(String username, BigDecimal total) {
            this.username = username;
            this.total = total;
        }

        int id() {
            return id;
        }
    }

    record Line(String item, int quantity, BigDecimal price) {}

    private final SqlSessionFactory sessions;

    PetShop(DataSource database) {
        Configuration configuration =
                new Configuration(new Environment("shop", new JdbcTransactionFactory(), database));
        configuration.addMapper(Catalogue.class);
        configuration.addMapper(Stock.class);
        configuration.addMapper(Accounts.class);
        configuration.addMapper(Purchases.class);
        sessions = new SqlSessionFactoryBuilder().build(configuration);
    }

    static void createTables(DataSource database, String script) throws SQLException {
        try (Connection connection = database.getConnection()) {
            ScriptRunner runner = new ScriptRunner(connection);
            runner.setLogWriter(null);
            runner.setStopOnError(true);
            runner.setAutoCommit(true);
            runner.runScript(new StringReader(script));
        }
    }

    SqlSession open() {
        return sessions.openSession(true);
    }

    /** Signs a customer in: the account, or null if name and password do not belong together. */
    Map<String, Object> signIn(String username, String password) {
        try (SqlSession session = open()) {
            Accounts accounts = session.getMapper(Accounts.class);
            return password.equals(accounts.password(username)) ? accounts.account(username) : null;
        }
    }

    /** Returns what the page of an item shows. */
    List<Object> itemPage(String code) {
        try (SqlSession session = open()) {
            Catalogue catalogue = session.getMapper(Catalogue.class);
            Map<String, Object> item = catalogue.item(code);
            if (item == null) {
                return List.of();
            }
            Integer quantity = session.getMapper(Stock.class).quantity(code);
            return List.of(item, catalogue.product((String) item.get("product")), quantity == null ? 0 : quantity);
        }
    }

    /** Buys, and returns the purchase's id; 0 if there is not enough of an item, and then nothing has changed. */
    int checkOut(String username, List<Line> lines) {
        try (SqlSession session = open()) {
            Stock stock = session.getMapper(Stock.class);
            List<Line> taken = new ArrayList<>();
            for (Line line : lines) {
                if (stock.take(line.item(), line.quantity()) == 0) {
                    taken.forEach(back -> stock.deliver(back.item(), back.quantity()));
                    return 0;
                }
                taken.add(line);
            }
            BigDecimal total = lines.stream()
                    .map(line -> line.price().multiply(BigDecimal.valueOf(line.quantity())))
                    .reduce(BigDecimal.ZERO, BigDecimal::add);
            Purchase purchase = new Purchase(username, total);
            Purchases purchases = session.getMapper(Purchases.class);
            purchases.place(purchase);
            purchases.addLines(purchase.id(), lines);
            return purchase.id();
        }
    }
}

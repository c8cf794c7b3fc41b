package dev.cassidy.applications;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.SimpleJdbcInsert;
import org.springframework.jdbc.datasource.init.ScriptUtils;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;

/** A clinic for animals: owners, their pets, visits, vets. Written for SQL Server with Spring JDBC, one table a statement. */
final class Clinic {

    /** As SQL Server's tools write the table that is there already; but for GO, which Spring does not know. */
    private static final String GENERATED = """
            IF NOT EXISTS (SELECT * FROM sys.objects WHERE object_id = OBJECT_ID(N'[dbo].[types]') AND type in (N'U'))
            CREATE TABLE [dbo].[types] (
                [id] INT IDENTITY(1,1) NOT NULL,
                [name] NVARCHAR(80) NULL,
                CONSTRAINT [PK_types] PRIMARY KEY CLUSTERED ([id] ASC) WITH (PAD_INDEX = OFF) ON [PRIMARY]
            ) ON [PRIMARY];
            """;

    private static final String SCHEMA = """
            CREATE TABLE types (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(80));
            CREATE TABLE specialties (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(80));
            CREATE TABLE vets (
                id INT IDENTITY(1,1) PRIMARY KEY, first_name NVARCHAR(30), last_name NVARCHAR(30));
            CREATE INDEX vets_last_name ON vets (last_name);
            CREATE TABLE vet_specialties (
                vet_id INT NOT NULL, specialty_id INT NOT NULL, CONSTRAINT pk_vs PRIMARY KEY (vet_id, specialty_id));
            CREATE TABLE owners (
                id INT IDENTITY(1,1) PRIMARY KEY, first_name NVARCHAR(30), last_name NVARCHAR(30),
                address NVARCHAR(255), city NVARCHAR(80), telephone NVARCHAR(20));
            CREATE INDEX owners_last_name ON owners (last_name);
            CREATE TABLE pets (
                id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(30), birth_date DATE, type_id INT NOT NULL,
                owner_id INT, weight REAL NULL, chip UNIQUEIDENTIFIER DEFAULT NEWID(),
                CONSTRAINT fk_pets_owners FOREIGN KEY (owner_id) REFERENCES owners (id));
            CREATE INDEX pets_owner ON pets (owner_id);
            CREATE TABLE visits (
                id BIGINT IDENTITY(1000,1) PRIMARY KEY, pet_id INT, visit_date DATE DEFAULT GETDATE(),
                minutes SMALLINT NOT NULL DEFAULT 30, fee MONEY DEFAULT 0, description NVARCHAR(255));
            CREATE INDEX visits_pet ON visits (pet_id);
            """;

    record Owner(Integer id, String firstName, String lastName, String city, String telephone) {}

    private final DataSource database;
    private final JdbcClient client;
    private final NamedParameterJdbcTemplate template;

    Clinic(DataSource database) {
        this.database = database;
        this.client = JdbcClient.create(database);
        this.template = new NamedParameterJdbcTemplate(database);
    }

    /** @param guarded whether the database serves an IF around a definition, which H2 does not */
    static void createTables(DataSource database, boolean guarded) throws SQLException {
        try (Connection connection = database.getConnection()) {
            ScriptUtils.executeSqlScript(connection, new ByteArrayResource(SCHEMA.getBytes(UTF_8)));
            if (guarded) {
                ScriptUtils.executeSqlScript(connection, new ByteArrayResource(GENERATED.getBytes(UTF_8)));
            }
        }
    }

    private Number insert(String table, Map<String, Object> row) {
        return new SimpleJdbcInsert(database)
                .withTableName(table)
                .usingColumns(row.keySet().toArray(String[]::new))
                .usingGeneratedKeyColumns("id")
                .executeAndReturnKey(new MapSqlParameterSource(row));
    }

    Number addType(String name) {
        return insert("types", Map.of("name", name));
    }

    Number addSpecialty(String name) {
        return insert("specialties", Map.of("name", name));
    }

    Number addVet(String firstName, String lastName, Number... specialties) {
        Number id = insert("vets", Map.of("first_name", firstName, "last_name", lastName));
        for (Number specialty : specialties) {
            client.sql("INSERT INTO vet_specialties VALUES (?, ?)")
                    .params(id, specialty)
                    .update();
        }
        return id;
    }

    Number save(Owner owner) {
        MapSqlParameterSource values = new MapSqlParameterSource("id", owner.id())
                .addValue("first", owner.firstName())
                .addValue("last", owner.lastName())
                .addValue("city", owner.city())
                .addValue("telephone", owner.telephone());
        if (owner.id() != null) {
            return template.update(
                    "UPDATE owners SET first_name = :first, last_name = :last, city = :city, telephone = :telephone WHERE"
                            + " id = :id",
                    values);
        }
        KeyHolder keys = new GeneratedKeyHolder();
        template.update(
                "INSERT INTO owners (first_name, last_name, city, telephone) VALUES (:first, :last, :city, :telephone)",
                values,
                keys);
        return keys.getKey();
    }

    Number addPet(Number owner, Number type, String name, LocalDate born, Float weight) {
        KeyHolder keys = new GeneratedKeyHolder();
        client.sql("INSERT INTO pets (name, birth_date, type_id, owner_id, weight) VALUES (:name, :born, :type, :owner,"
                        + " :weight)")
                .param("name", name)
                .param("born", born)
                .param("type", type)
                .param("owner", owner)
                .param("weight", weight)
                .update(keys, "id");
        return keys.getKey();
    }

    Number addVisit(Number pet, String description) {
        return insert("visits", Map.of("pet_id", pet, "description", description));
    }

    Number addVisit(Number pet, LocalDate day, int minutes, BigDecimal fee, String description) {
        return insert(
                "visits",
                Map.of("pet_id", pet, "visit_date", day, "minutes", minutes, "fee", fee, "description", description));
    }

    List<Owner> ownersByLastName(String lastName) {
        return client.sql(
                        "SELECT o.id, o.first_name, o.last_name, o.city, o.telephone FROM owners o WHERE o.last_name ="
                                + " :last")
                .param("last", lastName)
                .query(Owner.class)
                .list();
    }

    Owner owner(Number id) {
        return client.sql("SELECT id, first_name, last_name, city, telephone FROM owners WHERE id = ?")
                .param(id)
                .query(Owner.class)
                .optional()
                .orElse(null);
    }

    List<Map<String, Object>> pets(Number owner) {
        return client.sql("SELECT id, name, birth_date, type_id, weight FROM pets WHERE owner_id = ?")
                .param(owner)
                .query()
                .listOfRows();
    }

    Object chip(Number pet) {
        return client.sql("SELECT chip FROM pets WHERE id = ?")
                .param(pet)
                .query()
                .singleValue();
    }

    List<Map<String, Object>> visits(List<Number> pets) {
        return client.sql("SELECT id, pet_id, minutes, fee, description FROM visits WHERE pet_id IN (:pets)")
                .param("pets", pets)
                .query()
                .listOfRows();
    }

    LocalDate visitDate(Number id) {
        return client.sql("SELECT visit_date FROM visits WHERE id = ?")
                .param(id)
                .query(LocalDate.class)
                .single();
    }

    List<Map<String, Object>> types() {
        return client.sql("SELECT id, name FROM types").query().listOfRows();
    }

    List<Map<String, Object>> specialtiesOf(Number vet) {
        List<Integer> ids = client.sql(
                        "SELECT specialty_id FROM vet_specialties WHERE vet_id = ? ORDER BY specialty_id")
                .param(vet)
                .query(Integer.class)
                .list();
        return ids.isEmpty()
                ? List.of()
                : client.sql("SELECT id, name FROM specialties WHERE id IN (:ids)")
                        .param("ids", ids)
                        .query()
                        .listOfRows();
    }

    int minutesOf(Number pet) {
        return client.sql("SELECT SUM(minutes) FROM visits WHERE pet_id = ?")
                .param(pet)
                .query(Integer.class)
                .single();
    }

    int deleteVisit(Number id) {
        return client.sql("DELETE FROM visits WHERE id = ?").param(id).update();
    }
}

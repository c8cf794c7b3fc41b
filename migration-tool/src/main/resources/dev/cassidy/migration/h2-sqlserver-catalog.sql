-- Lets H2 in SQL Server mode stand in for SQL Server in demonstrations and tests: the catalogue views that the
-- migration tool reads, over H2's own INFORMATION_SCHEMA, and the schema dbo. Load it with
--   RUNSCRIPT FROM 'classpath:dev/cassidy/migration/h2-sqlserver-catalog.sql'
-- Ids of objects and schemas are names here and integers in SQL Server: good for joins, which is their only use.
-- H2 knows the next value alone, so a table whose next value is its seed counts as never used (last_value NULL).

CREATE SCHEMA IF NOT EXISTS [dbo];
CREATE SCHEMA IF NOT EXISTS sys;

CREATE OR REPLACE VIEW sys.schemas (name, schema_id) AS
SELECT SCHEMA_NAME, SCHEMA_NAME
FROM INFORMATION_SCHEMA.SCHEMATA;

CREATE OR REPLACE VIEW sys.tables (name, object_id, schema_id, is_ms_shipped) AS
SELECT TABLE_NAME, TABLE_SCHEMA || '.' || TABLE_NAME, TABLE_SCHEMA, 0
FROM INFORMATION_SCHEMA.TABLES
WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA <> 'INFORMATION_SCHEMA';

CREATE OR REPLACE VIEW sys.types (name, system_type_id, user_type_id) AS
SELECT * FROM (VALUES
    ('tinyint', 48, 48), ('smallint', 52, 52), ('int', 56, 56), ('bigint', 127, 127), ('decimal', 106, 106));

CREATE OR REPLACE VIEW sys.identity_columns
    (object_id, name, system_type_id, user_type_id, [precision], scale, seed_value, increment_value, last_value) AS
SELECT OBJECT, COLUMN_NAME, TYPE_ID, TYPE_ID,
    CASE TYPE_ID WHEN 48 THEN 3 WHEN 52 THEN 5 WHEN 56 THEN 10 WHEN 127 THEN 19 ELSE NUMERIC_PRECISION END,
    NUMERIC_SCALE, IDENTITY_START, IDENTITY_INCREMENT,
    CASE WHEN IDENTITY_BASE <> IDENTITY_START THEN IDENTITY_BASE - IDENTITY_INCREMENT END
FROM (
    SELECT TABLE_SCHEMA || '.' || TABLE_NAME AS OBJECT, COLUMN_NAME, NUMERIC_PRECISION, NUMERIC_SCALE,
        IDENTITY_START, IDENTITY_INCREMENT, IDENTITY_BASE,
        CASE DATA_TYPE WHEN 'TINYINT' THEN 48 WHEN 'SMALLINT' THEN 52 WHEN 'INTEGER' THEN 56
            WHEN 'BIGINT' THEN 127 WHEN 'NUMERIC' THEN 106 END AS TYPE_ID
    FROM INFORMATION_SCHEMA.COLUMNS
    WHERE IS_IDENTITY = 'YES');

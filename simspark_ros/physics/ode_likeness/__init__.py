"""Equations by which other engines move robots as ODE does, the engine of the classic server, and their order.

Legacy robots walk, kick and get up by ODE's errors at steps of h = 20 ms. Engines that are free of them add them again.
Vectors are in the world frame; v and w are velocities of a body's centre c and its spin; M and I its mass and inertia.

**Bodies move by themselves** (`hinge_drift`; kernels `hinge_gaps`, `robot_trees`, `momentum`). ODE finds velocities
with which hinges hold where bodies are, and then moves each body by itself. So

* gaps: a body moves to c + h v, and not to its place c' in a tree with closed hinges. Its shift from there is
  s' = s + h (v - e s / h) + c - c', as ODE takes back the part e of a gap (`hinge_erp`) per step, straight and
  whatever the body above does. Contacts are found at c + s; velocities and inertias belong to the tree.
* closing: a gap closes by the velocity -e s / h, which has a momentum and which contacts resist.
* carried momenta: a body enters a step with the momentum of the last one, along the tangent, and is turned with its
  hinges in this step. The force (M v_last - M v_now) / h does that in place of the engine's centrifugal and gyroscopic
  forces; v_last and v_now include the closing.
* tilts: two turns in one step end elsewhere than one after the other, by up to 2 degrees (MuJoCo alone has them).

**Friction needs no load.** A corner in the ground is held sideways, whatever presses on it: v = slip F. MuJoCo has a
cone so steep that load does not matter; on Bullet corners are tied to masses at rest (`ground_grip`).

**Stops bounce.** A joint beyond its stop by x leaves it with max(`stop_erp` x / h, `stop_bounce` v), v being its speed
of arrival; its motor then pushes with full force or not at all (`bullet.motors`, kernel `constraint_rows`). A joint
that is sent to its stop ends before it, as a body turns by 2 atan(w h / 2) in a step.

**Contacts** push with ERP (depth - `contact_layer`) / h and give way by CFM. Bullet's contacts all have one softness,
so the ball's have rows of their own there (`ball_contacts`). A foot feels each corner with its whole force, v / slip
along the ground. It tells the corner's place before the step, in its axes after the step (`bullet.touch`).

Order of a step on Bullet (`BulletEngine.step`), where each `Correction` is called only if the preset needs it:

1. Motors, with stops; the ball's ground, and its place as the nearest link sees it.
2. `before_step`: grounds of limbs and skates (`GroundGrip`), rebounds of materials (`Rebounds`), closing and carried
   momenta as forces (`SeparateBodies`), which Bullet forgets after the step.
3. Bullet's step.
4. `after_step`, links still as before: corners' forces (`GroundGrip`), impacts (`Rebounds`), new momenta and straight
   moves (`SeparateBodies`); then the ball's rows, with the links' velocities.
5. Links are read. `land`: gaps are what is left between straight moves and closed hinges. What feet feel is read.

Order on MuJoCo (`MujocoWorld.step`): contacts at real places, all else at closed hinges (`HingeDrift.begin_step`);
momenta as forces (`CarriedMomentum.apply`); stiffness of rows, less the closing (`ConstraintRows.rewrite`); the step;
new momenta (`keep`), straight moves (`HingeDrift.advance`), gaps and tilts (`land`).
"""

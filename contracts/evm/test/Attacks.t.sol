// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";
import {Authorization, AuthorizationKind, BatchGroup, BatchItem, ItemCode, Split} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";

/// @dev Attacks that were tried against the processor and the rules around it. `_provesStranding` is the rule that
/// the recovery key must follow, as packages/chains/evm implements it.
contract AttacksTest is Fixture {
    uint256 private constant ATTACKER_KEY = 0xBAD;
    address private attacker = vm.addr(ATTACKER_KEY);
    Authorization private victims;
    bytes private victimsSignature;

    function setUp() public override {
        super.setUp();
        token.mint(attacker, 10_000);
    }

    /// @dev The authorization's own `AuthorizationUsed`, directly followed by its `Transfer` to the processor, which the
    /// processor's own `PaymentSettled` does not follow.
    function _provesStranding(Vm.Log[] memory logs, Authorization memory a) internal view returns (bool) {
        for (uint256 i; i + 1 < logs.length; ++i) {
            Vm.Log memory used = logs[i];
            Vm.Log memory moved = logs[i + 1];
            if (used.emitter != address(token) || used.topics[0] != keccak256("AuthorizationUsed(address,bytes32)")) {
                continue;
            }
            if (used.topics[1] != bytes32(uint256(uint160(a.from))) || used.topics[2] != a.nonce) continue;
            return moved.emitter == address(token) && moved.topics[0] == keccak256("Transfer(address,address,uint256)")
                && moved.topics[1] == bytes32(uint256(uint160(a.from)))
                && moved.topics[2] == bytes32(uint256(uint160(address(processor))))
                && abi.decode(moved.data, (uint256)) == a.value
                && !(i + 2 < logs.length
                    && logs[i + 2].emitter == address(processor)
                    && logs[i + 2].topics[0] == PaymentSettled.selector);
        }
        return false;
    }

    function _strandVictim() private {
        victims = _authorization(payer, 10_000);
        victimsSignature = _signature(PAYER_KEY, victims);
        vm.prank(attacker);
        _submitDirectly(victims, victimsSignature, address(processor));
    }

    function test_directSubmissionStrandsTheMoneyAndRecoveryCompletesOrReturnsIt() public {
        vm.recordLogs();
        _strandVictim();
        assertTrue(_provesStranding(vm.getRecordedLogs(), victims));
        BatchItem memory item = _item(PAYER_KEY, victims, 5, 10_000);
        assertEq(uint8(_settle(_one(PLAIN, item))[0]), uint8(ItemCode.AuthorizationUsed));
        uint256 snapshot = vm.snapshotState();
        vm.prank(recovery);
        processor.settleStranded(address(token), 5, PLAIN, victims, 10_000, victimsSignature);
        assertEq(token.balanceOf(merchant) + token.balanceOf(feeTo), 10_000);
        vm.revertToState(snapshot);
        vm.prank(recovery);
        processor.returnStranded(address(token), victims, victimsSignature);
        assertEq(token.balanceOf(payer), FUNDS);
    }

    function test_aSettledAuthorizationIsNoStranding() public {
        Authorization memory a = _authorization(payer, 10_000);
        BatchItem memory item = _item(PAYER_KEY, a, 5, 4_000);
        vm.recordLogs();
        _settle(_one(PLAIN, item));
        assertFalse(_provesStranding(vm.getRecordedLogs(), a));
    }

    function test_aNonceBurnedByASecondAuthorizationProvesNothing() public {
        _strandVictim();
        Authorization memory first = _authorization(attacker, 10_000);
        Authorization memory second = _authorization(attacker, 0);
        second.nonce = first.nonce;
        bytes memory signature = _signature(ATTACKER_KEY, second, attacker);
        vm.recordLogs();
        _submitDirectly(second, signature, attacker);
        // Followed by a real transfer of the right size, to look like the stranding it is not.
        vm.prank(attacker);
        token.transfer(address(processor), 1);
        assertFalse(_provesStranding(vm.getRecordedLogs(), first));
        assertEq(token.balanceOf(attacker), 9_999, "nothing was gained");
        assertEq(processor.surplus(address(token)), 10_001, "the victim's money is still here");
    }

    function test_aNonceBurnedByCancellationProvesNothing() public {
        _strandVictim();
        Authorization memory a = _authorization(attacker, 10_000);
        bytes32 structHash = keccak256(
            abi.encode(keccak256("CancelAuthorization(address authorizer,bytes32 nonce)"), attacker, a.nonce)
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), structHash));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ATTACKER_KEY, digest);
        vm.recordLogs();
        token.cancelAuthorization(attacker, a.nonce, v, r, s);
        vm.prank(attacker);
        token.transfer(address(processor), 10_000);
        assertFalse(_provesStranding(vm.getRecordedLogs(), a));
        assertEq(processor.surplus(address(token)), 20_000);
    }

    function test_aNaiveRecoveryLosesAtMostItsHourlyCap() public {
        _strandVictim();
        _enable(address(token), CAP, 2_500);
        for (uint256 i; i < 10; ++i) {
            Authorization memory a = _authorization(attacker, 1_000);
            Authorization memory burn = _authorization(attacker, 0);
            burn.nonce = a.nonce;
            _submitDirectly(burn, _signature(ATTACKER_KEY, burn, attacker), attacker);
            bytes memory signature = _signature(ATTACKER_KEY, a);
            vm.prank(recovery);
            try processor.returnStranded(address(token), a, signature) {} catch {}
        }
        assertEq(token.balanceOf(attacker), 12_000);
        assertEq(processor.surplus(address(token)), 8_000);
    }

    function test_dustOnAForeignCodeBlocksNoSettlement() public {
        vm.startPrank(attacker);
        token.approve(address(processor), 100);
        for (uint64 code; code < 100; ++code) {
            processor.pay(address(token), code, PLAIN, 1);
        }
        vm.stopPrank();
        assertEq(_settle(_one(_group(PLAIN, 100, 0, 500, 500))), new bytes(100));
    }

    function test_payToAnotherPayoutNamesThatPayoutAndNotTheIntents() public {
        vm.prank(registrar);
        processor.registerPayout(66, attacker, 0, new Split[](0));
        vm.startPrank(attacker);
        token.approve(address(processor), 10_000);
        vm.expectEmit(address(processor));
        emit PaymentReceived(5, attacker, address(token), 66, 10_000, 0);
        processor.pay(address(token), 5, 66, 10_000);
        vm.stopPrank();
        assertFalse(processor.isSettled(5));
        assertEq(token.balanceOf(merchant), 0);
        assertEq(_settle(_one(_group(PLAIN, 1, 5, 500, 500))), new bytes(1));
    }

    /// @dev With the operator's key and every open authorization: only registered payouts are paid, at most the cap in
    /// any hour, each authorization once, and what was not settled goes back to its payer.
    function test_aStolenOperatorKeyMovesAtMostTheHourlyCapToRegisteredPayouts() public {
        _enable(address(token), 10_000, CAP);
        BatchGroup memory open = _group(PLAIN, 20, 100, 1_000, 1_000);
        vm.startPrank(operator);
        vm.expectRevert(abi.encodeWithSelector(HourlyCapExceeded.selector, operator, address(token), 20_000, 10_000));
        processor.settleBatch(address(token), _one(open));
        for (uint256 i; i < 20; ++i) {
            open.payoutId = i % 2 == 0 ? PLAIN : SPLIT;
            try processor.settleBatch(address(token), _one(open.payoutId, open.items[i])) {} catch {}
        }
        vm.stopPrank();
        uint256 parts = token.balanceOf(merchant) + token.balanceOf(partner) + token.balanceOf(affiliate);
        assertEq(parts + token.balanceOf(feeTo), 10_000);
        open.payoutId = 77;
        bytes memory codes = _settle(_one(open));
        for (uint256 i; i < 20; ++i) {
            assertEq(uint8(codes[i]), uint8(ItemCode.PayoutInactive));
        }
    }

    function test_aFrontRunReceiveAuthorizationIsImpossible() public {
        Authorization memory a = _authorization(payer, 500);
        a.kind = AuthorizationKind.Receive;
        bytes memory signature = _signature(PAYER_KEY, a);
        vm.prank(attacker);
        vm.expectRevert("FiatTokenV2: caller must be the payee");
        token.receiveWithAuthorization(
            a.from, address(processor), a.value, a.validAfter, a.validBefore, a.nonce, signature
        );
    }
}
